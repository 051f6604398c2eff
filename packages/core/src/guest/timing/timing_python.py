"""Times one alternative in a process of its own. Reads what to do as JSON, prints JSON behind a word.

Setup and code stand in one function, as `timeit` does it: what the setup makes are local names. What the code
prints goes nowhere; the value of a last expression is its result.
"""

import ast
import builtins
import hashlib
import json
import os
import re
import sys
import time
import traceback

MOST_CHARACTERS = 2000
MOST_ITERATIONS = 1 << 24
MOST_DEPTH = 6
# Held before any code runs: what it puts in the place of these is for its own use.
KEPT = dict(vars(builtins))
clock, dumps, sha256, walk_tb, leave = time.perf_counter, json.dumps, hashlib.sha256, traceback.walk_tb, os._exit
ADDRESS = re.compile(' at 0x[0-9a-fA-F]+')
# Lines of the setup count from here, those of the code from 1: both are parts of one function.
SETUP_LINES = 100_000
TEMPLATE = '''
def timed(_mendloop_repeat, _mendloop_clock):
    _mendloop_result = None
    _mendloop_start = _mendloop_clock()
    for _mendloop_one in range(_mendloop_repeat):
        pass
    return _mendloop_clock() - _mendloop_start, _mendloop_result
'''


def timed_function(setup, code):
    """A function of how often and of a clock, that gives seconds and the last result."""
    # Alone first: within a loop of a function, `break`, `return` and `yield` would be allowed and end the timing.
    compile(setup, '<setup>', 'exec', dont_inherit=True)
    compile(code, '<alternative>', 'exec', dont_inherit=True)
    module = ast.parse(TEMPLATE)
    function = module.body[0]
    body = ast.parse(code, '<alternative>').body
    has_result = bool(body) and isinstance(body[-1], ast.Expr)
    if has_result:
        target = ast.Name('_mendloop_result', ast.Store())
        body[-1] = ast.copy_location(ast.Assign([target], body[-1].value), body[-1])
    function.body[2].body = body or [ast.Pass()]
    function.body[0:0] = ast.increment_lineno(ast.parse(setup, '<setup>'), SETUP_LINES).body
    names = {'__name__': '__main__', '__builtins__': builtins}
    exec(compile(ast.fix_missing_locations(module), '<alternative>', 'exec'), names)
    return names['timed'], has_result


def calibrate(timed, seconds):
    """How often it has to run so that this takes the time given: 1, 2, 4, …; and the result of the first run of all."""
    took, value = timed(1, clock)
    if hasattr(value, '__await__'):
        raise TypeError('the result has to be awaited, so this times nothing; use asyncio.run()')
    # As text at once: code that runs again may change it.
    repeat, result = 1, shown(value)
    while took < seconds and repeat < MOST_ITERATIONS:
        # One doubling at a time near the goal, several far from it.
        repeat *= 2 if took * 8 > seconds else 8
        took = timed(repeat, clock)[0]
    return repeat, took, result


def measure(order):
    timed, has_result = timed_function(order['setup'], order['code'])
    if 'repeat' not in order:
        repeat, took, result = calibrate(timed, order['seconds'])
        facts = {'repeat': repeat, 'seconds': [took]}
        return dict(facts, result=result) if has_result else facts
    if order['warmUp']:
        timed(order['repeat'], clock)
    return {'seconds': [timed(order['repeat'], clock)[0] for _ in range(order['batches'])]}


def shown(value):
    """A value as text that is equal for equal values: sets in order, numbers to 12 digits, no addresses."""
    vars(builtins).update(KEPT)
    text = ADDRESS.sub('', text_of(value, MOST_DEPTH))
    if len(text) <= MOST_CHARACTERS:
        return text
    digest = sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()
    return '%s... (%d characters, SHA-256 %s)' % (text[:MOST_CHARACTERS], len(text), digest)


def text_of(value, depth):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return '%.12g' % value if isinstance(value, float) else str(value)
    if callable(getattr(value, 'tolist', None)):
        return text_of(value.tolist(), depth)
    if depth and isinstance(value, (list, tuple)):
        inside = ', '.join(text_of(one, depth - 1) for one in value)
        return '[%s]' % inside if isinstance(value, list) else '(%s)' % inside
    if depth and isinstance(value, (set, frozenset)):
        return '{%s}' % ', '.join(sorted(text_of(one, depth - 1) for one in value))
    if depth and isinstance(value, dict):
        pairs = ['%s: %s' % (text_of(key, depth - 1), text_of(one, depth - 1)) for key, one in value.items()]
        return '{%s}' % ', '.join(sorted(pairs))
    return repr(value)


def told(error, order):
    """Type, message and the line, unless it can only be the first; a syntax error names its line itself."""
    vars(builtins).update(KEPT)
    said = str(error)
    message = (type(error).__name__ + (': ' + said if said else ''))[:MOST_CHARACTERS]
    lines = [line for frame, line in walk_tb(error.__traceback__)
             if frame.f_code.co_filename == '<alternative>']
    if not lines or '\n' not in order['code'].strip() and lines[-1] < SETUP_LINES:
        return message
    is_setup = lines[-1] > SETUP_LINES
    return '%s (%s, line %d)' % (message, '<setup>' if is_setup else '<alternative>', lines[-1] % SETUP_LINES)


def main():
    order = json.load(sys.stdin)
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    # An isolated interpreter leaves the workspace out.
    sys.path.insert(0, os.getcwd())
    try:
        answer = measure(order)
    except BaseException as error:
        if isinstance(error, MemoryError):
            raise
        answer = {'error': told(error, order)}
    vars(builtins).update(KEPT)
    with open(answers, 'w') as file:
        file.write('\n' + order['word'] + dumps(answer) + '\n')
        file.flush()
        # Threads that the code left running end here.
        leave(0)


main()

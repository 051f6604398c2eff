// Written by tools/guest-programs.mjs from the .py files beside it; edit those.

/** Text of each program that runs inside a sandbox, by its file's name without the ending. */
export const guestPrograms = {
  assertions: `"""Rewrites the asserts of the tests, so that a failed one knows the values it compared, each computed
once."""

import ast

FAIL, IMPORT_ALL = '@fail', '@import_all'
OPERATORS = {
    ast.Eq: '==',
    ast.NotEq: '!=',
    ast.Lt: '<',
    ast.LtE: '<=',
    ast.Gt: '>',
    ast.GtE: '>=',
    ast.Is: 'is',
    ast.IsNot: 'is not',
    ast.In: 'in',
    ast.NotIn: 'not in',
}


class Check:
    """One assert of the tests."""

    def __init__(self, test, left, right=None, operator=None, tolerance=None):
        self.line = test.lineno
        self.test, self.left, self.right = test, left, right
        # \`==\`, \`in\`, …; \`true\`, \`false\` for a bare expression; \`close\` for two numbers within a tolerance
        self.operator = operator
        self.tolerance = tolerance


class Rewriter(ast.NodeTransformer):
    def __init__(self):
        self.checks = []
        self.imports_all = False

    def visit_Assert(self, node):
        self.generic_visit(node)
        return self._check(node, node.test)

    def visit_ImportFrom(self, node):
        if [alias.name for alias in node.names] != ['*'] or node.level:
            return node
        self.imports_all = True
        call = ast.Call(
            _name(IMPORT_ALL), [ast.Constant(node.module), ast.Call(_name('globals'), [], [])], []
        )
        return _placed(node, [ast.Expr(call)])[0]

    def _check(self, node, test):
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return [statement for value in test.values for statement in self._check(node, value)]
        close = _closeness(test)
        if close is not None:
            left, right, tolerance, rebuilt = close
            return self._statements(
                node, Check(test, left, right, 'close', tolerance), (left, right), rebuilt
            )
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            sign = type(test.ops[0])
            check = Check(test, test.left, test.comparators[0], OPERATORS[sign])
            return self._statements(
                node,
                check,
                (test.left, test.comparators[0]),
                lambda left, right: ast.Compare(left, test.ops, [right]),
            )
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._statements(
                node,
                Check(test, test.operand, None, 'false'),
                (test.operand,),
                lambda value: ast.UnaryOp(ast.Not(), value),
            )
        return self._statements(node, Check(test, test, None, 'true'), (test,), lambda value: value)

    def _statements(self, node, check, operands, rebuild):
        number = len(self.checks)
        self.checks.append(check)
        names = ['@value%d' % index for index in range(len(operands))]
        kept = [ast.Assign([ast.Name(name, ast.Store())], operand) for name, operand in zip(names, operands)]
        values = ast.Tuple([_name(name) for name in names], ast.Load())
        arguments = [ast.Constant(number), values, *([node.msg] if node.msg is not None else [])]
        condition = ast.UnaryOp(ast.Not(), rebuild(*map(_name, names)))
        failure = ast.Raise(ast.Call(_name(FAIL), arguments, []), None)
        # Let go of the values, as a plain assert would.
        cleared = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in names]
        return _placed(node, [*kept, ast.If(condition, [failure], []), *cleared])


def _name(name):
    return ast.Name(name, ast.Load())


def _placed(node, statements):
    for statement in statements:
        for part in ast.walk(statement):
            if 'lineno' in part._attributes and not hasattr(part, 'lineno'):
                ast.copy_location(part, node)
    return statements


def _closeness(test):
    """\`abs(x - y) < tolerance\` and \`isclose(x, y)\`: the two numbers, the tolerance, and how to put them
    back."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        call, bound = test.left, test.comparators[0]
        inner = (
            call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords else None
        )
        if (
            isinstance(bound, ast.Constant)
            and _called(call) in ('abs', 'fabs')
            and isinstance(inner, ast.BinOp)
            and isinstance(inner.op, ast.Sub)
        ):

            def rebuilt(left, right):
                difference = ast.Call(call.func, [ast.BinOp(left, inner.op, right)], [])
                return ast.Compare(difference, test.ops, [bound])

            return inner.left, inner.right, ast.unparse(bound), rebuilt
    if (
        _called(test) == 'isclose'
        and len(test.args) == 2
        and not any(isinstance(one, ast.Starred) for one in test.args)
    ):
        tolerance = ', '.join('%s=%s' % (word.arg, ast.unparse(word.value)) for word in test.keywords) or None
        return (*test.args, tolerance, lambda left, right: ast.Call(test.func, [left, right], test.keywords))
    return None


def _called(node):
    function = node.func if isinstance(node, ast.Call) else None
    return (
        function.id
        if isinstance(function, ast.Name)
        else function.attr if isinstance(function, ast.Attribute) else None
    )


def rewritten(source, name):
    """The tests as code, with the list of their checks; raises SyntaxError as the compiler does."""
    tree = ast.parse(source, name)
    rewriter = Rewriter()
    changed = ast.fix_missing_locations(rewriter.visit(ast.parse(source, name)))
    return compile(changed, name, 'exec', dont_inherit=True), tree, rewriter


def names_used(tree):
    """Every name that the tests mention, or None where they could look names up by text."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return None if names & {'globals', 'locals', 'vars', 'eval', 'exec'} else names
`,
  bootstrap: `# The whole of the command line of the judge and of the fork runner. Reads its programs from standard input, byte by
# byte counted, so that whatever follows them is still unread: by then the candidate's process has split off.
import json, os, sys, types


def take():
    """The next length-prefixed frame of standard input; never a byte more."""

    def exactly(count):
        parts = []
        while count:
            part = os.read(0, min(count, 1 << 20))
            if not part:
                raise SystemExit('the input ended before all programs were read')
            parts.append(part)
            count -= len(part)
        return b''.join(parts)

    return json.loads(exactly(int.from_bytes(exactly(4), 'big')).decode('utf-8', 'surrogatepass'))


def compiled_ahead():
    """What the host has compiled with an interpreter of this very version, by name."""
    compiled = setup.get('compiled')
    if compiled:
        import _frozen_importlib_external, binascii, marshal

        if compiled['magic'] == _frozen_importlib_external.MAGIC_NUMBER.hex():
            return marshal.loads(binascii.a2b_base64(compiled['code']))
    return {}


def load(name):
    """One of our own programs as a module, compiled when it is first asked for."""
    full = '_mendloop_' + name
    if full not in sys.modules:
        module = sys.modules[full] = types.ModuleType(full)
        module.load = load
        code = ahead.get(name) or compile(setup['programs'][name], '<mendloop ' + name + '>', 'exec')
        exec(code, module.__dict__)
    return sys.modules[full]


setup = take()
ahead = compiled_ahead()
if 'setup' in setup:
    load('runner').main(setup['setup'])
else:
    load('judge').main(setup['files'], take)
`,
  candidate: `"""The candidate's side: a process that imports the program's files and does what the judge asks of them."""

import importlib
import os
import sys
import threading
import types

load('wire')
values = load('values')
plain = load('plain')
lent = load('lent')
raised = load('raised')
operations = load('operations')


class Server(values.Codec):
    def __init__(self, channel, folder):
        super().__init__(1)
        self._channel = channel
        self._folder = folder
        self._turn = threading.Lock()
        self._objects = {}  # number -> the candidate's object
        self._object_numbers = {}
        self._described = set()
        self._pinned = set()  # numbers of modules, which the judge never lets go of
        self._lent = {}  # number -> stand-in for the judge's object
        self._lent_numbers = {}
        self._loop = None

    # -- values that are not plain data -------------------------------------------------------------

    def refer(self, value):
        kind = type(value)
        # By identity: \`functools.wraps\` copies any mark that could be put on a function.
        if id(value) in self._lent_numbers:
            return ['o', self._lent_numbers[id(value)]]
        if issubclass(kind, type):
            return self._class(value)
        if issubclass(kind, BaseException):
            return self.exception(value)
        if kind.__module__ == 'numpy' and hasattr(kind, 'item') and getattr(value, 'shape', None) == ():
            # A scalar says all there is to it as plain data.
            item = value.item()
            if type(item) is not kind:
                return self.encode(item)
        if kind is types.CoroutineType:
            return ['A', self._number(value)]
        tree = ['h', self._number(value), self._class(kind)]
        if issubclass(kind, operations.UNCHANGING) and not issubclass(kind, bool):
            # Told at once, while nobody knows what it will be compared with.
            tree.append(self.encode(operations.OPERATIONS['data'](value), 1))
        return tree

    def resolve(self, tree):
        if tree[0] == 'h':
            return self._objects[tree[1]]
        if tree[0] == 'f':
            return getattr(plain.builtins, tree[1])
        if tree[0] == 'E':
            return lent.exception(self, *tree[1:])
        number = tree[1]
        if number not in self._lent:
            self._lent[number] = made = lent.stand_in(self, number, *tree[2:])
            self._lent_numbers[id(made)] = number
        return self._lent[number]

    def exception(self, error, details=None, depth=0):
        origin = getattr(error, lent.ORIGIN, 0)
        try:
            text = str(error)
        except BaseException:
            text = ''
        arguments = self.items(error.args if type(error.args) is tuple else (), 1)
        cause = error.__cause__ if depth < raised.MAX_CAUSES else None
        cause = None if cause is None else self.exception(cause, depth=depth + 1)
        return ['E', self._number(error), self._class(type(error)), arguments, text, origin, details, cause]

    def _number(self, value):
        number = self._object_numbers.get(id(value))
        if number is None:
            number = self._object_numbers[id(value)] = self.new_number()
            self._objects[number] = value
        return number

    def _class(self, kind):
        if kind in plain.SHARED_TYPE_NAMES:
            return ['T', plain.SHARED_TYPE_NAMES[kind]]
        if issubclass(kind, tuple) and plain.is_plain_namedtuple(kind):
            return ['nt', *self.tuple_class(kind)]
        number = self._number(kind)
        if number in self._described:
            return ['C', number]
        self._described.add(number)
        bases = [self._class(base) for base in kind.__bases__ if base is not object]
        return ['C', number, kind.__name__, str(kind.__module__), bases, operations.operators_of(kind)]

    # -- the conversation ---------------------------------------------------------------------------

    def serve(self):
        message = self._channel.receive()
        while True:
            message = self._exchange(self._obey(message))

    def ask(self, kind, *parts):
        """Asks the judge for something while it waits for us, such as a call of one of its functions."""
        front = [kind, self.changes()]
        answer = self._exchange([*front, *map(self.encode, parts)])
        while answer[0] not in ('ok', 'stop', 'x'):
            answer = self._exchange(self._obey(answer))
        self._take_over(answer)
        if answer[0] == 'x':
            raise self.decode(answer[4])
        if answer[0] == 'stop':
            raise StopIteration
        return self.decode(answer[4])

    def _exchange(self, message):
        # Only one thread may talk, and no other until the judge has answered it.
        with self._turn:
            self._channel.send(message)
            return self._channel.receive()

    def _take_over(self, message):
        self.apply(message[1])
        self.forget(message[2])
        for number in set(message[3]) - self._pinned:
            self._object_numbers.pop(id(self._objects.pop(number, None)), None)

    def _obey(self, message):
        """One request of the judge's, done; whatever the program raises becomes the reply."""
        surroundings = None
        try:
            self._take_over(message)
            if message[0] == 'call':
                _, _, _, _, number, arguments, named, wishes = message
                surroundings = load('surroundings').Surroundings(self, wishes) if wishes else None
                function = self._objects[number]
                arguments, named = self.values(arguments), {key: self.decode(tree) for key, tree in named}
                result = (
                    surroundings.call(function, arguments, named)
                    if surroundings
                    else function(*arguments, **named)
                )
            else:
                result = getattr(self, 'do_' + message[0])(*self.values(message[4:]))
            # Changes first: what they define, the result may name.
            reply = ['ok', self.changes()]
            reply.append(self.encode(result))
        except BaseException as error:
            if (
                type(error) is StopIteration
                and message[4:5] == ['next']
                or type(error) is StopAsyncIteration
                and message[0] == 'anext'
            ):
                return ['stop', self.changes(), None]
            reply = ['x', self.changes()]
            reply.append(self.exception(error, raised.details_of(error, self._folder)))
        if surroundings:
            reply.append(surroundings.printed())
        return reply

    # -- requests -----------------------------------------------------------------------------------

    def do_import(self, name):
        module = importlib.import_module(name)
        names = getattr(module, '__all__', None)
        if names is None:
            names = [name for name in vars(module) if not name.startswith('_')]
        path = raised.inside(getattr(module, '__file__', None) or '<none>', self._folder)
        self._pinned.add(self._number(module))
        return self._number(module), tuple(map(str, names)), path, hasattr(module, '__path__')

    def do_module(self, owner):
        return owner.__name__ if isinstance(owner, types.ModuleType) else None

    def do_get(self, owner, name):
        return getattr(owner, name)

    def do_set(self, owner, name, value):
        setattr(owner, name, value)

    def do_delete(self, owner, name):
        delattr(owner, name)

    def do_operate(self, name, *operands):
        return operations.OPERATIONS[name](*operands)

    def do_anext(self, iterator):
        return self.do_await(type(iterator).__anext__(iterator))

    def do_await(self, awaitable):
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        if self._loop.is_running():
            return lent.in_thread(lambda: asyncio.run(lent.awaited(awaitable)))
        asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(lent.awaited(awaitable))


def main(read_fd, write_fd, files, entry):
    """Never returns."""
    confined = load('confine').drop_powers()
    folder = os.getcwd()
    load('program_files').start_program(files, folder)
    sys.argv = [entry]
    sys.modules['__main__'] = types.ModuleType('__main__')
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)
    channel = load('wire').Channel(read_fd, write_fd)
    try:
        channel.receive()
        channel.send(['ok', [], confined])
        Server(channel, folder).serve()
    except load('wire').Closed:
        os._exit(0)
`,
  confine: `"""Keeps the judge out of the candidate's reach, by what the kernel grants to any process."""

import os
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_GET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 3, 24, 38
CAPABILITY_VERSION_3 = 0x20080522


def _libc():
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    return ctypes, libc


def make_private():
    """Closes this process's memory and descriptors to all others of its user; true when it surely worked."""
    if not sys.platform.startswith('linux'):
        return True
    _, libc = _libc()
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    return libc.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0


def drop_powers():
    """Gives up every capability for good, since with CAP_SYS_PTRACE nothing is private; true when it
    surely worked."""
    if not sys.platform.startswith('linux'):
        return True
    ctypes, libc = _libc()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc.capset(header, sets)
    held = (ctypes.c_uint32 * 6)(*[1] * 6)
    return libc.capget(header, held) == 0 and not any(held)


def only_descriptors(kept):
    """Closes every descriptor that is not in \`kept\`."""
    try:
        highest = os.sysconf('SC_OPEN_MAX')
    except (OSError, ValueError):
        highest = 4096
    last = -1
    for descriptor in (*sorted(kept), min(max(highest, 256), 1 << 20)):
        # An empty range would close everything in Python 3.11.
        if descriptor > last + 1:
            os.closerange(last + 1, descriptor)
        last = descriptor
`,
  discovery: `"""What the source of the tests defines, before any of it runs."""

import ast

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


def named_tests(tree):
    """Names of the tests that the source defines at its top level."""
    names = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith('test_'):
            names.append(node.name)
        elif isinstance(node, ast.ClassDef) and (node.name.startswith('Test') or _looks_like_case(node)):
            prefix = 'test' if _looks_like_case(node) else 'test_'
            names.extend(
                '%s.%s' % (node.name, one.name)
                for one in node.body
                if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name.startswith(prefix)
            )
    return list(dict.fromkeys(names))


def _looks_like_case(node):
    return any(ast.unparse(base).endswith('TestCase') for base in node.bases)


def checks_at_top_level(tree, has_tests):
    """Whether the top level does anything that could fail, besides defining names."""
    idle = DEFINITIONS + ASSIGNMENTS if has_tests else DEFINITIONS
    return any(
        not isinstance(node, idle)
        and not _is_guard(node)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in tree.body
    )


def _is_guard(node):
    return isinstance(node, ast.If) and '__name__' in ast.unparse(node.test)
`,
  endings: `"""In the judge: the exceptions that end a test, and what they are worth."""


class Lost(BaseException):
    """The candidate can no longer be asked. Nothing that the tests catch makes this undone."""


class Misuse(TypeError):
    """The tests ask for what cannot be done here, whatever the program."""


# Shown by its base: the name would tell the model nothing.
Misuse.__qualname__, Misuse.__module__ = 'TypeError', 'builtins'


def raised_by_program(error):
    """Marks what a call raised, also where the candidate kept its account of it to itself."""
    if isinstance(error, (StopIteration, StopAsyncIteration, GeneratorExit)):
        # It would end a loop of the tests early and silently.
        marks, kind = vars(error), type(error).__name__
        error = RuntimeError('%s raised by the program' % kind)
        error.__dict__.update({'_mendloop_raised': {}, **marks, '_mendloop_text': str(error)})
    elif hasattr(error, '_mendloop_number') or not isinstance(error, Exception):
        error.__dict__.setdefault('_mendloop_raised', {})
    return error
`,
  failures: `"""Turns what went wrong in a test into plain JSON: input, expected and actual as source text, and the
candidate's frames."""

import ast

standins = load('standins')
raised = load('raised')
imports = load('imports')
Misuse = load('endings').Misuse
TESTS = load('lending').TESTS

MAX_VALUE, MAX_MESSAGE = 2000, 4000
MIRRORED = {'<': '>', '<=': '>=', '>': '<', '>=': '<='}


def text(value, limit=MAX_VALUE):
    """The repr of a value, bounded, whatever the candidate answers."""
    try:
        shown = repr(value)
    except BaseException as error:
        shown = '<%s whose repr raises %s>' % (type(value).__name__, type(error).__name__)
    if isinstance(value, standins.Handle):
        shown += " (an object of the program's class %s)" % type(value).__name__
    return shortened(shown, limit)


def shortened(shown, limit):
    return shown if len(shown) <= limit else '%s … %d more characters' % (shown[:limit], len(shown) - limit)


class Failures:
    def __init__(self, link, finder, rewriter):
        self._link, self._finder, self._rewriter = link, finder, rewriter

    def failed_check(self, number, values, *message):
        """What a rewritten assert raises."""
        error = AssertionError(*message)
        error._mendloop_check = (self._rewriter.checks[number], values)
        return error

    def describe(self, error):
        frame, line = _place(error)
        details = getattr(error, '_mendloop_raised', None)
        if details is not None:
            failure = self._raised(error, details)
        elif hasattr(error, '_mendloop_check'):
            failure = self._check(error, frame)
        else:
            failure = self._own(error)
        if line is not None and failure['kind'] not in ('syntax', 'import'):
            failure['message'] += (
                ' (called from line %d of the tests)' if details is not None else ' (line %d of the tests)'
            ) % line
        if isinstance(error, Misuse):
            failure['misuse'] = True
        return failure

    def _raised(self, error, details):
        failure = cleaned({'message': raised.message_of(error), **details})
        failure['kind'] = raised.kind_of(error)
        failure['input'] = self.call_text()
        if (
            isinstance(error, AttributeError)
            and not failure['frames']
            and failure['message'].startswith("AttributeError: module '")
        ):
            failure['kind'] = 'missing-entry'
        if (
            failure['kind'] == 'import'
            and not failure['frames']
            and self._is_absent(getattr(error, 'args', ()))
        ):
            failure['kind'] = 'missing-entry'
        return failure

    def _is_absent(self, arguments):
        return bool(arguments) and str(arguments[0]).startswith('No module named')

    def _check(self, error, frame):
        check, values = error._mendloop_check
        given = str(error.args[0]) if error.args else ast.unparse(check.test)
        failure = {'kind': 'assertion', 'message': shortened('AssertionError: ' + given, MAX_MESSAGE)}
        if check.right is None:
            subject, actual = check.left, values[0]
            failure['expected'] = 'True' if check.operator == 'true' else 'False'
        else:
            left, right = check.left, check.right
            swapped = not _has_call(left) and _has_call(right)
            subject, actual, wanted = (
                (right, values[1], values[0]) if swapped else (left, values[0], values[1])
            )
            failure['expected'] = _expectation(check, text(wanted), swapped)
        failure['actual'] = text(actual)
        failure['input'] = self._subject_text(subject, actual, frame)
        return failure

    def _own(self, error):
        """An exception of the test code itself, or of the judge's own unittest."""
        kind = 'assertion' if isinstance(error, AssertionError) else 'exception'
        failure = {
            'kind': kind,
            'message': shortened(raised.message_of(error), MAX_MESSAGE),
            'input': self.call_text(),
        }
        if isinstance(error, ImportError):
            failure['kind'] = 'import' if isinstance(error, imports.Conflict) else 'missing-entry'
            if imports.is_library(error):
                failure['absent'] = error.name
            module = self._finder.modules.get(error.name)
            if module is not None:
                known = ', '.join(module._mendloop_names[:12]) or 'nothing'
                failure['message'] = '%s; %s defines %s' % (
                    failure['message'].split(' (')[0],
                    module.__file__,
                    known,
                )
        elif (
            isinstance(error, NameError)
            and self._rewriter.imports_all
            and not hasattr(error, '_mendloop_raised')
        ):
            failure['kind'] = 'missing-entry'
        elif isinstance(error, AssertionError):
            failure.update(_unittest_values(error))
        elif hasattr(self._link.last_call, 'result'):
            failure['actual'] = text(self._link.last_call.result)
        if self._finder.not_imported:
            failure[
                'message'
            ] += '; \`import *\` left out %s, which would hide a builtin: import it by name' % ', '.join(
                self._finder.not_imported
            )
        return failure

    def _subject_text(self, node, value, frame):
        call = self._link.last_call
        if isinstance(node, ast.Call):
            target = _evaluated(node.func, frame)
            name = self._link.name_of(target) or ast.unparse(node.func)
            if all(map(_is_literal, [*node.args, *(word.value for word in node.keywords)])):
                return shortened(name + ast.unparse(node)[len(ast.unparse(node.func)) :], MAX_VALUE)
            if call is not None and call.name.rpartition('.')[2] == name.rpartition('.')[2]:
                return self.call_text() or ast.unparse(node)
        elif call is not None and getattr(call, 'result', call) is value and not _has_call(node):
            return self.call_text() or ast.unparse(node)
        return shortened(ast.unparse(node), MAX_VALUE)

    def call_text(self):
        """The latest call as source text; nothing when it changed its arguments, since those shown would
        be false."""
        call = self._link.last_call
        if call is None or call.changed:
            return None
        parts = [text(value, 400) for value in call.arguments]
        parts += ['%s=%s' % (name, text(value, 400)) for name, value in call.named.items()]
        return shortened('%s(%s)' % (call.name, ', '.join(parts)), MAX_VALUE)

    def pending_call_text(self):
        """The call that has not returned, told without asking the candidate, which could not answer."""
        self._link.waiting = True
        try:
            return self.call_text()
        finally:
            self._link.waiting = False


def cleaned(details):
    """The candidate's own account of an exception, with every part of the shape it should have."""
    known = details if type(details) is dict else {}
    frames = [
        [str(path)[:300], int(line), str(function)[:300], str(source)[:300]]
        for path, line, function, source in list(known.get('frames') or ())[: raised.MAX_FRAMES]
    ]
    failure = {
        'message': shortened(str(known.get('message')), MAX_MESSAGE),
        'frames': frames,
        'folded': int(known.get('folded') or 0),
        'locals': {
            str(name)[:80]: shortened(str(value), 200)
            for name, value in list((known.get('locals') or {}).items())[: raised.MAX_LOCALS]
        },
    }
    if known.get('syntax'):
        path, line, column = known['syntax']
        failure['syntax'] = [str(path), int(line), int(column)]
    if known.get('cause'):
        failure['cause'] = {**cleaned(known['cause']), 'kind': str(known['cause'].get('kind'))}
    return failure


def _place(error):
    """The innermost frame of the tests that the exception came through."""
    frame, line, step = None, None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == TESTS:
            frame, line = step.tb_frame, step.tb_lineno
        step = step.tb_next
    return frame, line


def _expectation(check, wanted, swapped):
    if check.operator in ('==', 'is'):
        return wanted
    if check.operator == 'close':
        return wanted + ' (within %s)' % check.tolerance if check.tolerance else wanted
    if swapped and check.operator in ('in', 'not in'):
        return 'something with%s %s in it' % ('out' if check.operator == 'not in' else '', wanted)
    return '%s %s' % (MIRRORED.get(check.operator, check.operator) if swapped else check.operator, wanted)


def _unittest_values(error):
    """Expected and actual, from the frame of the assert method that failed."""
    step = error.__traceback__
    while step is not None:
        scope = step.tb_frame
        if scope.f_globals.get('__name__') == 'unittest.case' and scope.f_code.co_name.startswith('assert'):
            found = scope.f_locals
            if 'first' in found and 'second' in found:
                return {'actual': text(found['first']), 'expected': text(found['second'])}
            if 'expr' in found:
                return {'actual': text(found['expr']), 'expected': str('True' in scope.f_code.co_name)}
            return {}
        step = step.tb_next
    return {}


def _has_call(node):
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _is_literal(node):
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _evaluated(node, frame):
    """What a bare name stands for where the test failed."""
    if frame is None or not isinstance(node, ast.Name):
        return None
    return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
`,
  imports: `"""Gives the tests a stand-in where they import one of the candidate's modules, and the judge's own module
elsewhere."""

import ast
import builtins
import importlib
import importlib.util
import os
import sys
import types

standins = load('standins')
modules_of = load('program_files').modules_of

# Libraries that tests lean on to decide: never the candidate's, even where they are not installed.
LIBRARIES = frozenset(
    'pytest _pytest hypothesis nose mock numpy pandas scipy sympy torch sklearn matplotlib'.split()
)


class Conflict(ImportError):
    """A file of the program has the name of a library that the tests import."""


# Shown by its base: the name would tell the model nothing.
Conflict.__qualname__, Conflict.__module__ = 'ImportError', 'builtins'


def is_library(error):
    """True when a library that the tests lean on is not installed, which is not the candidate's fault."""
    return not isinstance(error, Conflict) and (error.name or '').partition('.')[0] in LIBRARIES


class StandInFinder:
    def __init__(self, link, paths, folder):
        self._link = link
        found = set(modules_of([*paths, *_modules_on_disk(folder)]))
        # With a file of its own, or an \`__init__\`, a name would hide a library; a plain folder would not.
        self._hiding = {name.partition('.')[0] for name in found if '.' not in name}
        self._folders = {name.partition('.')[0] for name in found} - self._hiding
        self._installed = {}
        self.modules = {}
        self.not_imported = []

    def find_spec(self, name, path=None, target=None):
        top = name.partition('.')[0]
        self._refuse_conflict(top)
        if top not in self._hiding and (top not in self._folders or self._is_installed(top)):
            return None
        return importlib.util.spec_from_loader(name, self)

    def refuse_conflicts(self, tree):
        """Also for modules that this process has loaded already, for which no finder is asked."""
        for node in ast.walk(tree):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else (
                    [node.module]
                    if isinstance(node, ast.ImportFrom) and node.module and not node.level
                    else []
                )
            )
            for name in names:
                self._refuse_conflict(name.partition('.')[0])

    def _refuse_conflict(self, top):
        if top in self._hiding and (self._is_installed(top) or top in LIBRARIES):
            raise Conflict(
                'the program has a file named %s, which is also the name of a library that the tests import; '
                'give the file another name' % top,
                name=top,
            )

    def create_module(self, spec):
        number, names, path, is_package = self._link.ask('import', spec.name)
        if is_package:
            spec.submodule_search_locations = []
        module = standins.StandInModule(spec.name, self._link, number, tuple(names), path)
        self.modules[spec.name] = module
        return module

    def exec_module(self, module):
        """It ran where it lives."""

    def import_all(self, name, namespace, wanted):
        """\`from name import *\`, except that nothing of the candidate's hides a builtin or what the tests
        have already."""
        module = importlib.import_module(name)
        if not isinstance(module, standins.StandInModule):
            names = getattr(module, '__all__', None) or [
                one for one in vars(module) if not one.startswith('_')
            ]
            namespace.update((one, getattr(module, one)) for one in names)
            return
        for one in module._mendloop_names:
            if wanted is not None and one not in wanted or one in namespace:
                continue
            if one in vars(builtins):
                self.not_imported.append(one)
                continue
            value = getattr(module, one)
            if isinstance(value, standins.Handle) and type(value)._mendloop_looks is types.ModuleType:
                value = self._own_module(self._link.ask('module', value))
                if value is None:
                    continue
            namespace[one] = value

    def _own_module(self, name):
        if type(name) is not str or name.partition('.')[0] in self._hiding | self._folders:
            return None
        try:
            return importlib.import_module(name)
        except (ImportError, ValueError):
            return None

    def _is_installed(self, top):
        if top not in self._installed:
            others = [finder for finder in sys.meta_path if finder is not self]
            specs = (finder.find_spec(top, None) for finder in others if hasattr(finder, 'find_spec'))
            self._installed[top] = any(spec is not None and spec.loader is not None for spec in specs)
        return self._installed[top]


def _modules_on_disk(folder):
    """The task's own modules, as they are before any of the candidate's code has run."""
    for name in os.listdir(folder):
        if name.endswith('.py'):
            yield name
        elif name.isidentifier() and os.path.isdir(os.path.join(folder, name)):
            inner = os.listdir(os.path.join(folder, name))
            if '__init__.py' in inner:
                yield name + '/__init__.py'
            elif any(one.endswith('.py') for one in inner):
                yield name + '/_.py'
`,
  judge: `"""The judge: splits off the candidate, only then reads the tests, runs them and reports on an output of
its own."""

import json
import os
import signal
import sys
import types

# Beyond this, failures are told in a line each.
MAX_REPORT_BYTES = 4_000_000
# No name that a program or its tests would take.
MODULE = 'mendloop_tests'


class Report:
    """Lines of JSON, each with the secret of this run, on a descriptor that the candidate never had."""

    def __init__(self, descriptor, nonce):
        self._descriptor, self._nonce = descriptor, nonce
        self._left = MAX_REPORT_BYTES
        self.tests = 0

    def line(self, event, **facts):
        data = (json.dumps({'nonce': self._nonce, 'event': event, **facts}) + '\\n').encode()
        self._left -= len(data)
        while data:
            data = data[os.write(self._descriptor, data) :]

    def start(self, name):
        if self._left > 0:
            self.line('start', name=name)

    def test(self, name, status, seconds=0, failures=()):
        if self._left <= 0:
            failures = [
                {'kind': failure['kind'], 'message': failure['message'][:300]} for failure in failures
            ]
        self.tests += 1
        self.line(
            'test', name=name, status=status, durationMs=round(seconds * 1000, 3), failures=list(failures)
        )


def main(files, take):
    to_candidate, from_candidate = os.pipe(), os.pipe()
    wire, confine = load('wire'), load('confine')
    load('plain'), load('values'), load('program_files'), load('raised')
    pid = os.fork()
    if pid == 0:
        try:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(2, 1)
            confine.only_descriptors({0, 1, 2, to_candidate[0], from_candidate[1]})
            load('candidate').main(to_candidate[0], from_candidate[1], files['sources'], files['entry'])
        except BaseException as error:
            sys.stderr.write('the program could not be served: %r\\n' % (error,))
        finally:
            os._exit(1)
    private = confine.make_private()
    os.close(to_candidate[0])
    os.close(from_candidate[1])
    output = os.dup(1)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The candidate is a process of its own and runs none of the program's code yet: now the tests may be
    # read.
    secret = take()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    report = Report(output, secret['nonce'])
    channel = wire.Channel(from_candidate[0], to_candidate[1], pid)
    status = 70
    try:
        judge(report, channel, files, secret, private)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        end(pid)
        os._exit(status)


def judge(report, channel, files, secret, private):
    channel.send(['hello', []])
    if not private or channel.receive() != ['ok', [], True]:
        report.line('refused', reason='this system cannot keep the judge private from the program')
        return
    try:
        code, tree, rewriter = load('assertions').rewritten(
            secret['tests'].lstrip('\\ufeff'), load('lending').TESTS
        )
    except (SyntaxError, ValueError) as error:
        report.line(
            'refused',
            reason='the tests do not parse: %s, line %s'
            % (getattr(error, 'msg', error), getattr(error, 'lineno', None)),
            misuse=True,
        )
        return
    link = load('link').Link(channel)
    link.tests_tree = tree
    finder = load('imports').StandInFinder(link, files['sources'], os.getcwd())
    failures = load('failures').Failures(link, finder, rewriter)
    runner = load('running').Runner(link, finder, report, failures.describe, secret['name'])
    module = sys.modules[MODULE] = sys.modules['__main__'] = types.ModuleType(MODULE)
    assertions = load('assertions')
    wanted = assertions.names_used(tree)
    module.__dict__.update(
        {
            assertions.FAIL: failures.failed_check,
            assertions.IMPORT_ALL: lambda name, namespace: finder.import_all(name, namespace, wanted),
        }
    )
    sys.argv = ['tests']
    link.usual_is_now()
    sys.meta_path.insert(0, finder)
    # Should the time run out, it is known in which call.
    channel.on_slow = lambda: report.line('slow', call=failures.pending_call_text())
    report.line('ready')
    runner.run(code, tree, module.__dict__)
    lost = (
        None
        if link.lost is None
        else {'how': link.lost, 'problem': link.problem[:300], 'status': channel.peer_status()}
    )
    report.line(
        'end', tests=report.tests, lost=lost, weakComparisons=link.weak_comparisons, requests=link.requests
    )


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass
`,
  lending: `"""In the judge: the tests' own objects that the candidate may use, and exactly what it may do with them. A
function may be called and no more, since its attributes lead to the tests' source."""

import operator
import types

suppression = load('suppression')
TESTS = '<tests>'
CALLABLE_HOMES = ('functools', 'operator')
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.BuiltinMethodType, type)
OBJECT_HOMES = frozenset(('mendloop_tests', 'unittest.mock', '_io', 'io', 'collections', 'random'))
OPERATIONS = {
    name: getattr(operator, '__%s__' % name)
    for name in (
        'getitem setitem delitem contains eq lt le gt ge add sub mul truediv floordiv mod pow matmul '
        'and or xor neg abs'
    ).split()
}
OPERATIONS.update(len=len, hash=hash, repr=repr, str=str, bool=bool, iter=iter, next=next)


class Lending:
    """Numbers for the tests' objects, and the requests that the candidate makes of them."""

    def __init__(self, link):
        self._link = link
        self._numbers = {}
        self._objects = {}
        self._errors = {}
        self._failed = {}

    def lend(self, value):
        kind = type(value)
        if is_function(value):
            role = 'async' if is_async(value) else 'function'
        elif kind is object or kind.__module__ in OBJECT_HOMES or hasattr(kind, '__next__'):
            role = 'object'
        else:
            self._link.misused(
                'the tests cannot pass %s to the program: it is neither plain data, nor a function, '
                'nor an object of a class of the tests' % kind.__name__
            )
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = self._link.new_number()
            self._objects[number] = value
        return ['o', number, role, str(getattr(value, '__name__', 'function'))]

    def known(self, number):
        return self._objects[number]

    def exception(self, error):
        """An exception on its way through the candidate; it comes back as the same object."""
        number = self._link.new_number()
        self._errors[number] = error
        base = next(base for base in type(error).__mro__ if base.__module__ == 'builtins')
        try:
            arguments = self._link.items(error.args, 1)
        except TypeError:
            arguments = [str(error)]
        return ['E', number, ['T', base.__name__], type(error).__name__, arguments]

    def thrown(self, number):
        return self._errors[number]

    def answer(self, parts):
        """The reply to one request of the candidate."""
        link, number, operation, operands = self._link, None, None, []
        before = link.requests
        try:
            number, operation, *operands = link.values(parts)
            result = self._perform(self._objects[number], operation, operands)
            if operation == 'call' and not any(operands):
                # Called once more it does not fail: what a program is for that waits for something.
                link.forgive(self._failed.pop(number, ()))
            reply = ['ok', link.changes(), [], []]
            return [*reply, link.encode(result)]
        except StopIteration:
            return ['stop', link.changes(), [], []]
        except Exception as error:
            untouched = operation == 'call' and not any(operands) and link.requests == before
            if suppression.is_failed_check(error) and not (untouched and suppression.is_example(error)):
                link.hold_against(error)
                if operation == 'call' and not any(operands):
                    self._failed.setdefault(number, []).append(error)
            reply = ['x', link.changes(), [], []]
            return [*reply, link.refer(error)]

    def _perform(self, value, operation, operands):
        if operation == 'call':
            arguments, named = operands
            result = value(*arguments, **dict(named))
            return run(result) if isinstance(result, types.CoroutineType) else result
        if (
            is_function(value)
            or isinstance(value, types.GeneratorType)
            and operation not in ('iter', 'next')
        ):
            raise TypeError('the program may only call a function of the tests')
        if operation in ('get', 'set'):
            return self._attribute(value, operation, *operands)
        if operation == 'enter':
            return value.__enter__()
        if operation == 'exit':
            error = operands[0]
            return bool(value.__exit__(None if error is None else type(error), error, None))
        return OPERATIONS[operation](value, *operands)

    def _attribute(self, value, operation, name, *new):
        if type(name) is not str or not name.isidentifier() or name.startswith('_') or is_inner(value, name):
            raise AttributeError('%r object has no attribute %r' % (type(value).__name__, name))
        if operation == 'get':
            return getattr(value, name)
        # Data may be set, methods may not be replaced.
        if callable(getattr(type(value), name, None)):
            raise AttributeError('the program may not replace a method of the tests')
        return setattr(value, name, new[0])


def is_function(value):
    """True for what the candidate may call and no more, such as a \`partial\`, which knows its arguments."""
    return isinstance(value, FUNCTIONS) or callable(value) and type(value).__module__ in CALLABLE_HOMES


def is_inner(value, name):
    """True for public attributes that are the interpreter's, the test runner's or a mock's own: with those,
    a mock is told what to answer and what to claim."""
    if any(base.__module__ == 'unittest.mock' for base in type(value).__mro__) and hasattr(type(value), name):
        return True
    return isinstance(value, (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)) or any(
        base.__module__.startswith('unittest.case') for base in type(value).__mro__
    )


def is_async(value):
    code = getattr(value, '__code__', None)
    return bool(code is not None and code.co_flags & 0x80)


def run(coroutine):
    """The result of a coroutine of the tests', in a thread of its own where an event loop is running here."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return load('lent').in_thread(lambda: asyncio.run(coroutine))
`,
  lent: `"""In the candidate's process: stand-ins for what the tests hand over, such as functions to call back."""

import threading

ORIGIN = '_mendloop_origin'


class Lent:
    """Stands for an object of the tests'. Public attributes and operators are forwarded to the judge."""

    __slots__ = ('_mendloop_link',)

    def __init__(self, server, number):
        object.__setattr__(self, '_mendloop_link', (server, number))

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return _forward(self, 'get', name)

    def __setattr__(self, name, value):
        _forward(self, 'set', name, value)

    def __call__(self, *arguments, **named):
        return _forward(self, 'call', arguments, tuple(named.items()))

    def __exit__(self, kind, error, trace):
        return _forward(self, 'exit', error)

    def __iter__(self):
        return _forward(self, 'iter')


def _forward(lent, *parts):
    server, number = lent._mendloop_link
    return server.ask('lent', number, *parts)


def _operator(name):
    return lambda lent, *operands: _forward(lent, name, *operands)


OPERATORS = (
    'next len getitem setitem delitem contains eq lt le gt ge hash repr str bool add sub mul truediv '
    'floordiv mod pow matmul and or xor neg abs enter'
)
for _name in OPERATORS.split():
    setattr(Lent, '__%s__' % _name, _operator(_name))


def stand_in(server, number, kind, name):
    """A real function for a function, since programs ask; a \`Lent\` for anything else."""
    if kind == 'object':
        return Lent(server, number)
    if kind == 'async':

        async def call(*arguments, **named):
            return server.ask('lent', number, 'call', arguments, tuple(named.items()))

    else:

        def call(*arguments, **named):
            return server.ask('lent', number, 'call', arguments, tuple(named.items()))

    call.__name__ = call.__qualname__ = name
    return call


def exception(server, origin, bases, name, arguments):
    """An exception of the tests' own, of a class that the candidate can catch by its built-in bases."""
    base = server.decode(bases)
    kind = base if base.__name__ == name else type(name, (base,), {})
    error = kind.__new__(kind, *server.values(arguments))
    error.args = tuple(server.values(arguments))
    setattr(error, ORIGIN, origin)
    return error


async def awaited(awaitable):
    return await awaitable


def in_thread(work):
    """The result of \`work\`, done in another thread, because an event loop is running in this one."""
    outcome = []

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
`,
  link: `"""The judge's end of the wire: asks the candidate, answers its callbacks, and trusts no message."""

import builtins
import collections
import contextlib
import sys
import threading

wire = load('wire')
values = load('values')
plain = load('plain')
standins = load('standins')
endings = load('endings')

Handle, StandInType, StandInModule = standins.Handle, standins.StandInType, standins.StandInModule
STREAMS = ('stdout', 'stderr')


class Link(values.Codec):
    STOP = object()

    def __init__(self, channel):
        super().__init__(2)
        self._channel = channel
        self._lock = threading.RLock()
        self._mirror = load('mirror').Mirror(self)
        self.lending = load('lending').Lending(self)
        self._usual = {}
        self._names = {}
        # A deque, since the garbage collector may add to it at any moment.
        self.dropped = collections.deque()
        self.lost = self.problem = None
        self.waiting = False
        self.weak_comparisons = 0
        self.requests = 0
        self.last_call = None
        # Failures that stay failures, though the candidate or the tests may swallow the exception.
        self.held = []
        # Where a statement of the tests begins and ends.
        self.tests_tree = None

    # -- asking -------------------------------------------------------------------------------------

    def ask(self, kind, *parts):
        with self._lock:
            front = self._front(kind)
            with self._all_or_nothing(front):
                message = [*front, *self.items(parts)]
            return self._converse(message)

    def hold_against(self, error):
        """Makes the running test fail with this, whoever catches it."""
        if all(error is not one for one in self.held):
            self.held.append(error)

    def forgive(self, errors):
        self.held = [one for one in self.held if all(one is not error for error in errors)]

    def misused(self, message):
        error = endings.Misuse(message)
        self.hold_against(error)
        raise error

    def operate(self, name, *operands):
        return self.ask('operate', name, *operands)

    def get(self, number, name, owner):
        result = self.ask('get', Borrowed(number), name)
        if isinstance(result, Handle):
            self._names[result._mendloop_number] = name if owner is None else '%s.%s' % (owner, name)
        elif isinstance(result, StandInType):
            result._mendloop_named = True
        return result

    def call(self, number, name, arguments, named):
        with self._lock:
            self.last_call = None
            front = self._front('call')
            with self._all_or_nothing(front):
                pairs = [[key, self.encode(value)] for key, value in named.items()]
                message = [*front, number, self.items(arguments), pairs, self._surroundings()]
            self.last_call = call = Call(self._names.get(number, name), arguments, named)
            call.result = self._converse(message, call)
            return call.result

    def name_of(self, value):
        """What the candidate calls one of its functions that the tests hold, if this is one."""
        return self._names.get(value._mendloop_number) if isinstance(value, Handle) else None

    def _front(self, kind):
        if self.lost is not None:
            raise endings.Lost(self.lost)
        self.requests += 1
        # Changes first: what was changed and then let go of still has to be told.
        changes, outlived = self.changes(), self.outlived()
        self.forget(outlived)
        dropped = [
            number
            for number in (self.dropped.popleft() for _ in range(len(self.dropped)))
            if not self._mirror.is_held(number)
        ]
        return [kind, changes, outlived, dropped]

    @contextlib.contextmanager
    def _all_or_nothing(self, front):
        """What a message that could not be made would have told is told by the next one."""
        mark = self._next
        try:
            yield
        except BaseException:
            self.forget([number for number in self._shared if number > mark and number % 2 == mark % 2])
            for number, _ in front[1]:
                if number in self._shared:
                    self._shared[number][1] = (self,)
            raise

    def _converse(self, message, call=None):
        try:
            self._channel.send(message)
            while True:
                reply = self._channel.receive()
                kind = reply[0]
                if self.apply(reply[1]) and call is not None:
                    call.changed = True
                if kind == 'ok':
                    self._show(reply[3] if len(reply) > 3 else None)
                    return self.decode(reply[2])
                if kind == 'stop' and (message[0] == 'anext' or message[4:5] == ['next']):
                    return self.STOP
                if kind == 'x':
                    self._show(reply[3] if len(reply) > 3 else None)
                    error = self.decode(reply[2])
                    if not isinstance(error, BaseException):
                        raise wire.Broken('an exception that is none')
                    error = endings.raised_by_program(error)
                    break
                if kind != 'lent':
                    raise wire.Broken('an unknown message')
                self._channel.send(self.lending.answer(reply[2:]))
        except wire.Closed as problem:
            self._lose('ended', problem)
        except (
            wire.Broken,
            ValueError,
            TypeError,
            LookupError,
            ArithmeticError,
            AttributeError,
            RecursionError,
            MemoryError,
        ) as problem:
            self._lose('spoke nonsense', problem)
        raise error

    def _lose(self, how, problem):
        if self.lost is None:
            self.lost, self.problem = how, '%s: %s' % (type(problem).__name__, problem)
        raise endings.Lost(self.lost) from problem

    # -- values that are not plain data -------------------------------------------------------------

    def late_writer(self, kind):
        # A stand-in's class answers questions about itself by asking the candidate: not while a message is
        # made.
        return None if isinstance(kind, StandInType) else plain.late_writer(kind)

    def refer(self, value):
        if isinstance(value, Borrowed):
            return ['h', value.number]
        if isinstance(value, StandInType):
            return ['h', value._mendloop_class]
        if isinstance(value, (Handle, StandInModule)):
            return ['h', value._mendloop_number]
        if isinstance(value, BaseException):
            raised = getattr(value, '_mendloop_number', None)
            return self.lending.exception(value) if raised is None else ['h', raised]
        name = getattr(value, '__name__', None)
        if type(name) is str and getattr(builtins, name, None) is value:
            return ['T' if plain.SHARED_TYPES.get(name) is value else 'f', name]
        if type(value) in plain.WRITERS:
            deep = 'the tests pass data to the program that is nested more than %d deep'
            self.misused(deep % values.MAX_DEPTH)
        return self.lending.lend(value)

    def resolve(self, tree):
        tag = tree[0]
        if tag == 'h':
            return self._mirror.handle(*tree[1:])
        if tag == 'C':
            return self._mirror.kind(*tree[1:])
        if tag == 'E':
            return self._mirror.exception(*tree[1:])
        if tag == 'o':
            return self.lending.known(tree[1])
        if tag == 'A':
            return wait_for(self, Borrowed(tree[1]))
        raise wire.Broken('an unknown kind of value')

    # -- standard streams that a test replaced ------------------------------------------------------

    def usual_is_now(self):
        self._usual = {name: getattr(sys, name) for name in (*STREAMS, 'stdin', 'argv')}
        self._usual['input'] = builtins.input

    def _surroundings(self):
        wishes = {name: True for name in STREAMS if getattr(sys, name) is not self._usual[name]}
        if sys.stdin is not self._usual['stdin']:
            wishes['stdin'] = str(sys.stdin.read())
        if sys.argv is not self._usual['argv']:
            wishes['argv'] = [str(argument) for argument in sys.argv]
        if builtins.input is not self._usual['input']:
            wishes['input'] = self.encode(builtins.input)
        return wishes or None

    def _show(self, printed):
        for name, text in zip(STREAMS, printed or ()):
            if text:
                getattr(sys, name).write(str(text))


class Borrowed:
    """Names an object of the candidate's by number alone."""

    __slots__ = ('number',)

    def __init__(self, number):
        self.number = number


class Call:
    """The latest call of the candidate, for the report; \`result\` is there once it has returned."""

    changed = False

    def __init__(self, name, arguments, named):
        self.name, self.arguments, self.named = name, arguments, named


async def wait_for(link, awaitable):
    return link.ask('await', awaitable)
`,
  mirror: `"""In the judge: makes the stand-ins, a class for each class of the candidate's, from what the candidate
tells of them."""

import types
import weakref

Broken = load('wire').Broken
standins = load('standins')
operators = load('operators')
Handle, StandInType = standins.Handle, standins.StandInType


class Mirror:
    """Every stand-in that the tests hold, by number, so that one object of the candidate's is one object
    here."""

    def __init__(self, link):
        self._link = link
        self._handles = weakref.WeakValueDictionary()
        self._classes = {}

    def is_held(self, number):
        return number in self._handles

    def handle(self, number, kind, *data):
        handle = self._handles.get(number)
        if handle is None:
            if type(number) is not int:
                raise Broken('not a number')
            handle = Handle.__new__(self._handle_class(kind))
            object.__setattr__(handle, '_mendloop_number', number)
            object.__setattr__(handle, '_mendloop_tainted', False)
            object.__setattr__(handle, '_mendloop_data', self._link.values(list(data)))
            self._handles[number] = handle
        else:
            self._handle_class(kind)
        return handle

    def _handle_class(self, tree):
        if tree[0] == 'C':
            kind = self.kind(*tree[1:])
            return kind if issubclass(kind, Handle) else self._plain_class(kind)
        return self._plain_class(self._link.decode(tree))

    def _plain_class(self, kind):
        """Class of the handles for objects of a shared class, such as a list too deep to cross."""
        if kind not in self._classes:
            names = [name for name in operators.FORWARDED if '__%s__' % name in dir(kind)]
            self._classes[kind] = self._make_class(0, kind.__name__, '', (Handle,), names, kind)
        return self._classes[kind]

    def kind(self, number, name=None, module='', bases=(), names=()):
        if name is None:
            return self._classes[number]
        if type(number) is not int or number in self._classes or type(name) is not str:
            raise Broken('not a new class')
        bases = [self._link.decode(base) for base in bases]
        looks = next((base for base in bases if base in standins.EXACT), None) or (
            standins.LOOKS.get(name) if module == 'builtins' else None
        )
        looks = looks or next(
            (base._mendloop_looks for base in bases if getattr(base, '_mendloop_looks', None)), None
        )
        # A namedtuple with methods of its own.
        looks = looks or next((tuple for base in bases if issubclass(base, tuple)), None)
        errors = tuple(base for base in bases if issubclass(base, BaseException))
        family = errors or tuple(base for base in bases if issubclass(base, Handle)) or (Handle,)
        self._classes[number] = self._make_class(number, name, str(module), family, names, looks)
        return self._classes[number]

    def _make_class(self, number, name, module, family, names, looks):
        body = {'__qualname__': name}
        if issubclass(family[0], BaseException):
            body.update(
                __module__=module, __str__=lambda error: error._mendloop_text, __getattr__=error_attribute
            )
        else:
            body.update(
                {'__%s__' % one: operators.FORWARDED[one] for one in names if one in operators.FORWARDED}
            )
            body.update(__slots__=(), _mendloop_looks=looks, **standins.DATA)
            body.setdefault('__hash__', Handle.__hash__)
            if looks is not None:
                body['__class__'] = property(lambda handle: looks)
        try:
            return StandInType(name, family, body, link=self._link, number=number)
        except TypeError:
            # An order of bases that the stand-ins cannot have; the first base alone will do.
            return StandInType(name, family[:1], body, link=self._link, number=number)

    def exception(self, number, kind, arguments, text, origin, details, cause=None):
        if origin:
            return self._link.lending.thrown(origin)
        kind = self._link.decode(kind)
        if not issubclass(kind, BaseException):
            raise Broken('an exception that is none')
        arguments = tuple(self._link.values(arguments))
        error = kind.__new__(kind, *arguments)
        error.args = arguments
        if kind.__init__ is not BaseException.__init__ and not isinstance(kind, StandInType):
            try:
                kind.__init__(error, *arguments)
            except TypeError:
                pass
        error.__dict__.update(_mendloop_number=number, _mendloop_text=str(text), _mendloop_link=self._link)
        if details is not None:
            error.__dict__['_mendloop_raised'] = details
        if cause is not None:
            error.__cause__ = self.exception(*cause[1:])
        return error


def error_attribute(error, name):
    if name.startswith('_mendloop') or standins.is_dunder(name):
        raise AttributeError(name)
    return error._mendloop_link.get(error._mendloop_number, name, type(error).__name__)
`,
  operations: `"""In the candidate's process: the operators that the judge may ask for, by name."""

import operator

# Operators a class may have; the judge's stand-in for its instances gets those and no others.
OPERATORS = '''add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift
iadd isub imul ior iand ixor radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor
rlshift rrshift neg pos abs invert int float complex index round trunc floor ceil bool len length_hint
getitem setitem delitem contains iter next reversed enter exit call lt le gt ge eq hash
await aenter aexit aiter anext copy deepcopy'''.split()
ORDINARY = {'__%s__' % name: getattr(object, '__%s__' % name, None) for name in OPERATORS}


def operators_of(kind):
    """Names of the operators that a class defines, beyond what every object has."""
    return [
        name[2:-2] for name, inherited in ORDINARY.items() if getattr(kind, name, inherited) is not inherited
    ]


EXACT = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex.__add__(value, 0j),
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: lambda value: bytearray(bytes(memoryview(value))),
    dict: lambda value: dict(dict.items(value)),
    **{
        kind: lambda value, _kind=kind: _kind(_kind.__iter__(value))
        for kind in (list, tuple, set, frozenset)
    },
}


UNCHANGING = (int, float, complex, str, bytes, tuple, frozenset)


def _data(value):
    """The plain data that an object of a derived class, such as an IntEnum, consists of."""
    return next(EXACT[base](value) for base in type(value).__mro__ if base in EXACT)


def _copy(value):
    import copy

    return copy.copy(value)


def _deepcopy(value, memo=None):
    import copy

    return copy.deepcopy(value)


OPERATIONS = {
    name: getattr(operator, '__%s__' % name)
    for name in '''add sub mul truediv floordiv mod pow matmul and or xor iadd isub imul ior iand ixor
lshift rshift neg pos abs invert index getitem setitem delitem contains lt le gt ge eq'''.split()
}
OPERATIONS.update(
    int=int,
    float=float,
    complex=complex,
    bool=bool,
    len=len,
    hash=hash,
    repr=repr,
    str=str,
    format=format,
    iter=iter,
    next=next,
    reversed=reversed,
    divmod=divmod,
    round=round,
    copy=_copy,
    deepcopy=_deepcopy,
    data=_data,
    dir=dir,
    isinstance=isinstance,
    issubclass=issubclass,
    **{
        name: (lambda value, _name='__%s__' % name, *rest: getattr(type(value), _name)(value, *rest))
        for name in 'trunc floor ceil enter aenter aiter length_hint'.split()
    },
)


def _exit(value, name, error):
    kind = None if error is None else type(error)
    return getattr(type(value), name)(value, kind, error, None if error is None else error.__traceback__)


OPERATIONS.update(
    exit=lambda value, error: _exit(value, '__exit__', error),
    aexit=lambda value, error: _exit(value, '__aexit__', error),
)
`,
  operators: `"""Operators of the stand-ins: what each asks of the candidate, and which answers the tests may not rest
on."""

import operator

standins = load('standins')
probes, suppression = load('probes'), load('suppression')
Handle, link_of, refuse, steps = standins.Handle, standins.link_of, standins.refuse, standins.steps

BINARY = 'add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift'.split()
UNARY = 'neg pos abs invert int float complex index round trunc floor ceil'.split()
INPLACE = 'iadd isub imul ior iand ixor'.split()
ORDER = 'lt le gt ge'.split()
# What these make of an object and plain data tells how far apart the two are: that is the judge's to say.
DIFFERENCES = frozenset('sub mod floordiv divmod and xor isub iand ixor'.split())
DECIDING = DIFFERENCES | {'truediv'}


def arithmetic(name):
    """An operator whose result may not stand for a number that the tests compute with: the classic forgery
    answers \`abs(result - expected) < tolerance\` with a difference of its own choice."""
    reflected = name.startswith('r') and name[1:] in BINARY
    base = name[1:] if reflected else name

    def method(self, *operands):
        tainted = any(isinstance(one, Handle) and one._mendloop_tainted for one in (self, *operands))
        mixed = name not in UNARY and any(not isinstance(one, Handle) for one in operands)
        named = type(self)._mendloop_named
        if reflected:
            result = link_of(self).operate(name[1:], *operands, self)
        else:
            result = link_of(self).operate(name, self, *operands)
        if result is NotImplemented:
            return result
        if isinstance(result, Handle):
            if tainted or mixed and not (named and base not in DIFFERENCES):
                object.__setattr__(result, '_mendloop_tainted', True)
        elif tainted or mixed and not (named and base not in DECIDING):
            data = NotImplemented if tainted else standins.data_of(self, operands[0])
            if data is NotImplemented:
                refuse(self, 'came where the tests compute with %s' % kinds_of(operands))
            pair = (operands[0], data) if reflected else (data, operands[0])
            return getattr(operator, '__%s__' % base)(*pair) if base != 'divmod' else divmod(*pair)
        elif mixed:
            link_of(self).weak_comparisons += 1
        return result

    return method


def kinds_of(operands):
    return ', '.join(type(one).__name__ for one in operands if not isinstance(one, Handle)) or 'a number'


def order(name):
    def method(self, other):
        if not isinstance(other, Handle):
            return probes.ordered(self, name, other)
        link_of(self).weak_comparisons += 1
        return truth(self, link_of(self).operate(name, self, other))

    return method


def equality(self, other):
    if self is other:
        return True
    if not isinstance(other, Handle):
        return standins.is_alike(self, other)
    link_of(self).weak_comparisons += 1
    return truth(self, link_of(self).operate('eq', self, other))


def truth(handle, answer):
    if answer is NotImplemented or type(answer) is bool:
        return answer
    return refuse(handle, 'was compared, and the answer is no bool')


def typed(name, kind):
    def method(self):
        if self._mendloop_tainted and name != 'hash':
            refuse(self)
        if name == 'bool':
            link_of(self).weak_comparisons += 1
        answer = link_of(self).operate(name, self)
        if type(answer) is not kind:
            refuse(self, 'was asked for its __%s__, which is no %s' % (name, kind.__name__))
        return answer

    return method


def forwarded(name):
    return lambda self, *operands: link_of(self).operate(name, self, *operands)


def contains(self, item):
    return probes.holds(link_of(self), self, item, type(self)._mendloop_named)


def call(self, *arguments, **named):
    return link_of(self).call(self._mendloop_number, type(self).__name__, arguments, named)


def next_item(self):
    item = link_of(self).operate('next', self)
    if item is link_of(self).STOP:
        raise StopIteration
    return item


def leave(name):
    def method(self, kind, error, trace):
        answer = link_of(self).operate(name, self, error)
        return suppression.allowed(link_of(self), error, answer)

    return method


async def leave_async(self, kind, error, trace):
    answer = await link_of(self).operate('aexit', self, error)
    return suppression.allowed(link_of(self), error, answer)


async def next_async(self):
    item = link_of(self).ask('anext', self)
    if item is link_of(self).STOP:
        raise StopAsyncIteration
    return item


def wait(self):
    return link_of(self).ask('await', self)
    yield


def iterate(self):
    link = link_of(self)
    iterator = link.operate('iter', self)
    if iterator is self:
        return self
    return steps(link, iterator) if isinstance(iterator, Handle) else iter(iterator)


FORWARDED = {
    **{name: arithmetic(name) for base in BINARY for name in (base, 'r' + base)},
    **{name: arithmetic(name) for name in (*UNARY, *INPLACE)},
    **{name: order(name) for name in ORDER},
    **{name: forwarded(name) for name in 'getitem setitem delitem enter aenter aiter reversed'.split()},
    'eq': equality,
    'contains': contains,
    'call': call,
    'next': next_item,
    'await': wait,
    'anext': next_async,
    'exit': leave('exit'),
    'aexit': leave_async,
    'iter': iterate,
    'hash': typed('hash', int),
    'len': typed('len', int),
    'bool': typed('bool', bool),
    'length_hint': typed('length_hint', int),
}
`,
  plain: `"""The tables of plain data: how each exact type is written as a tagged tree, and how each tag is read."""

import builtins
import collections
import sys

MUTABLE = {
    list: 'l',
    dict: 'd',
    set: 's',
    bytearray: 'B',
    collections.deque: 'q',
    collections.OrderedDict: 'd',
    collections.Counter: 'd',
    collections.defaultdict: 'd',
}
DICTS = {kind.__name__: kind for kind, tag in MUTABLE.items() if tag == 'd'}
# Classes that mean the same on both sides. No functions: the judge must never be handed \`eval\` by name.
SHARED_TYPES = {
    kind.__name__: kind
    for kind in (
        int,
        float,
        complex,
        bool,
        str,
        bytes,
        bytearray,
        list,
        tuple,
        set,
        frozenset,
        dict,
        range,
        slice,
        object,
        type(None),
    )
}
SHARED_TYPES.update(
    (name, kind)
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and kind.__name__ == name
)
SHARED_TYPE_NAMES = {kind: name for name, kind in SHARED_TYPES.items()}
# By these, \`dataclasses.asdict\` and its like tell what a field is.
FIELD_MARKS = {name: name for name in ('_FIELD', '_FIELD_CLASSVAR', '_FIELD_INITVAR', 'MISSING')}
PATHS = {name: name for name in ('PosixPath', 'PurePosixPath')}
SINGLETONS = {'Ellipsis': Ellipsis, 'NotImplemented': NotImplemented}

TUPLE_NAMES = set(vars(collections.namedtuple('Plain', ''))) | {
    '__annotations__',
    '__orig_bases__',
    '__annotate__',
}


def is_plain_namedtuple(kind):
    """True for a namedtuple class that adds nothing of its own, so that data says all there is to it."""
    fields = vars(kind).get('_fields')
    return (
        kind.__bases__ == (tuple,)
        and type(fields) is tuple
        and '_make' in vars(kind)
        and not set(vars(kind)) - TUPLE_NAMES - set(fields)
    )


def _datetime_zone(codec, zone):
    datetime = sys.modules['datetime']
    if zone is None:
        return None
    if type(zone) is datetime.timezone:
        offset = zone.utcoffset(None)
        return ['tz', offset.days, offset.seconds, zone.tzname(None)]
    zoneinfo = sys.modules.get('zoneinfo')
    return ['zi', zone.key] if zoneinfo and type(zone) is zoneinfo.ZoneInfo and zone.key else False


def _write_moment(codec, value, tag, fields):
    zone = _datetime_zone(codec, value.tzinfo)
    return codec.refer(value) if zone is False else [tag, [getattr(value, field) for field in fields], zone]


TIME_FIELDS = ('hour', 'minute', 'second', 'microsecond', 'fold')
DATE_FIELDS = ('year', 'month', 'day')
WRITERS = {
    tuple: lambda codec, value, depth: ['t', codec.items(value, depth)],
    frozenset: lambda codec, value, depth: ['z', codec.items(value, depth)],
    complex: lambda codec, value, depth: ['j', value.real, value.imag],
    bytes: lambda codec, value, depth: ['b', value.hex()],
    range: lambda codec, value, depth: ['r', codec.items((value.start, value.stop, value.step))],
    slice: lambda codec, value, depth: ['sl', codec.items((value.start, value.stop, value.step), depth)],
    type({}.keys()): lambda codec, value, depth: ['dk', codec.items(value, depth)],
    type({}.items()): lambda codec, value, depth: ['di', codec.items(value, depth)],
    type(Ellipsis): lambda codec, value, depth: ['e', 'Ellipsis'],
    type(NotImplemented): lambda codec, value, depth: ['e', 'NotImplemented'],
    **dict.fromkeys(MUTABLE, lambda codec, value, depth: codec.write_container(value, depth)),
}
# Classes of modules that need not be loaded: if they are not, no value of theirs exists.
LATE_WRITERS = {
    ('decimal', 'Decimal'): lambda codec, value, depth: ['D', str(value)],
    ('fractions', 'Fraction'): lambda codec, value, depth: [
        'F',
        codec.items((value.numerator, value.denominator)),
    ],
    ('datetime', 'date'): lambda codec, value, depth: ['da', value.year, value.month, value.day],
    ('datetime', 'timedelta'): lambda codec, value, depth: [
        'td',
        value.days,
        value.seconds,
        value.microseconds,
    ],
    ('datetime', 'time'): lambda codec, value, depth: _write_moment(codec, value, 'ti', TIME_FIELDS),
    ('datetime', 'datetime'): lambda codec, value, depth: _write_moment(
        codec, value, 'dt', DATE_FIELDS + TIME_FIELDS
    ),
    ('uuid', 'UUID'): lambda codec, value, depth: ['u', value.hex],
    ('dataclasses', '_FIELD_BASE'): lambda codec, value, depth: ['df', value.name],
    ('dataclasses', '_MISSING_TYPE'): lambda codec, value, depth: ['df', 'MISSING'],
    **{
        ('pathlib', name): lambda codec, value, depth: ['p', type(value).__name__, str(value)]
        for name in PATHS
    },
}


def late_writer(kind):
    """The writer of a class that is looked up by name, remembered once found."""
    # The package, since a class may say that it lives in a private part of it.
    package = str(kind.__module__).partition('.')[0]
    write = LATE_WRITERS.get((package, kind.__name__))
    home = sys.modules.get(package)
    if write is not None and getattr(home, kind.__name__, None) is kind:
        WRITERS[kind] = write
        return write
    if issubclass(kind, tuple) and is_plain_namedtuple(kind):
        return lambda codec, value, depth: [
            'n',
            codec.tuple_class(kind),
            codec.items(tuple.__iter__(value), depth),
        ]
    return None


def _read_zone(tree):
    from datetime import timedelta, timezone

    if tree is None:
        return None
    if tree[0] == 'tz':
        offset = timedelta(tree[1], tree[2])
        zone = timezone(offset)
        return zone if zone.tzname(None) == tree[3] else timezone(offset, tree[3])
    from zoneinfo import ZoneInfo

    return ZoneInfo(tree[1])


def _read_moment(name, parts, zone):
    return getattr(__import__('datetime'), name)(*parts[:-1], _read_zone(zone), fold=parts[-1])


def _read_dict(codec, number, contents, name, factory):
    container = DICTS[name]()
    if factory is not None:
        container.default_factory = codec.decode(factory)
    return codec.read_container(container, number, contents)


READERS = {
    'i': lambda codec, text: int(text, 16),
    't': lambda codec, items: tuple(codec.values(items)),
    'z': lambda codec, items: frozenset(codec.values(items)),
    'j': lambda codec, real, imaginary: complex(real, imaginary),
    'b': lambda codec, text: bytes.fromhex(text),
    'r': lambda codec, items: range(*codec.values(items)),
    'sl': lambda codec, items: slice(*codec.values(items)),
    'dk': lambda codec, items: dict.fromkeys(codec.values(items)).keys(),
    'di': lambda codec, items: dict(codec.values(items)).items(),
    'e': lambda codec, name: SINGLETONS[name],
    'T': lambda codec, name: SHARED_TYPES[name],
    'n': lambda codec, kind, items: tuple.__new__(codec.read_tuple_class(*kind), codec.values(items)),
    'nt': lambda codec, *kind: codec.read_tuple_class(*kind),
    '@': lambda codec, number: codec.known(number),
    'l': lambda codec, number, items: codec.read_container([], number, items),
    's': lambda codec, number, items: codec.read_container(set(), number, items),
    'B': lambda codec, number, text: codec.read_container(bytearray(), number, text),
    'q': lambda codec, number, items, limit: codec.read_container(
        collections.deque(maxlen=limit), number, items
    ),
    'd': _read_dict,
    'D': lambda codec, text: __import__('decimal').Decimal(text),
    'F': lambda codec, items: __import__('fractions').Fraction(*codec.values(items)),
    'da': lambda codec, *parts: __import__('datetime').date(*parts),
    'td': lambda codec, *parts: __import__('datetime').timedelta(*parts),
    'ti': lambda codec, parts, zone: _read_moment('time', parts, zone),
    'dt': lambda codec, parts, zone: _read_moment('datetime', parts, zone),
    'df': lambda codec, name: getattr(__import__('dataclasses'), FIELD_MARKS[name]),
    'u': lambda codec, text: __import__('uuid').UUID(text),
    'p': lambda codec, name, text: getattr(__import__('pathlib'), PATHS[name])(text),
}
`,
  probes: `"""Questions beside the tests' own, by which an object shows whether it means what it answers."""

import operator
import random
import string
import struct

standins = load('standins')
refuse = standins.refuse
chance = random.SystemRandom()
# Numbers are sought within these, whichever number the tests compare with.
INT_LIMIT, FLOAT_LIMIT = 1 << 70, 1e100


def holds(link, container, item, trusted=False):
    """Whether a container of the candidate's holds an item, unless it also claims to hold what nobody can
    have put there. The questions come in any order, so that none is known to be the tests'."""
    link.weak_comparisons += 1
    near, far, beyond = (without(item, group) for group in like(item))
    questions = [item, *near, *far, *beyond]
    chance.shuffle(questions)
    answers = {}
    for one in questions:
        try:
            answer = link.operate('contains', container, one)
        except Exception:
            if one is item:
                raise
            answer = False
        answers[id(one)] = answer
    answer = answers[id(item)]
    if type(answer) is not bool:
        refuse(container, 'was asked what it holds, and the answer is no bool')
    claims = [[answers[id(one)] is True for one in group] for group in (near, far, beyond)]
    everything = all(map(all, claims))
    if answer and (everything or not trusted and any(group and all(group) for group in claims[:2])):
        refuse(container, 'claims to hold whatever it is asked for')
    return answer


def without(item, others):
    return [one for one in others if one != item]


def like(item):
    """Items of the same type and shape; such that are farther off; and such on the other side of zero."""
    kind = type(item)
    if kind is int:
        size = abs(item) + 40
        near = [item + chance.choice((-1, 1)) * chance.randint(1, size) for _ in range(6)]
        far = [chance.randint(2, 1 << bits) + (1 << bits) for bits in (24, 40, 61)]
        return near, far, [-one for one in far]
    if kind is float:
        size = abs(item) + 40
        far = [chance.uniform(1, 2) * 10**power for power in (7, 12, 18)]
        return [item + chance.uniform(-size, size) for _ in range(6)], far, [-one for one in far]
    if kind is str:
        # Of short texts, a program may well hold all there are.
        near = [text_like(item) for _ in range(4)] if len(item) > 2 else []
        return near, [text_like(item or 'a') + text_like('abcdefghij') for _ in range(3)], []
    if kind is bytes:
        near = [chance.randbytes(len(item)) for _ in range(4)] if len(item) > 2 else []
        return near, [chance.randbytes(len(item) + 9) for _ in range(3)], []
    if kind in (tuple, frozenset) and item:
        rows = [[like(part) for part in item] for _ in range(4)]
        near = [kind(chance.choice(pair[0] or pair[1]) for pair in row) for row in rows]
        return near, [kind(chance.choice(pair[1]) for pair in row) for row in rows[:3]], []
    # Of other kinds, there are none that one could make up.
    return [], [text_like('abcdefghijkl') for _ in range(2)], []


def text_like(text):
    """A text with the same sorts of characters in the same places."""
    kinds = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
    return ''.join(
        chance.choice(next((kind for kind in kinds if one in kind), one)) for one in text
    )


def ordered(handle, name, other):
    """How an object of the candidate's and plain data are ordered. The object may not decide that itself: it
    is asked, without a word of \`other\`, where it stands among all numbers."""
    if handle._mendloop_tainted:
        refuse(handle, 'came where %s was compared' % article(other))
    data = standins.data_of(handle, other)
    if data is not NotImplemented:
        return getattr(operator, name)(data, other)
    link = standins.link_of(handle)
    if type(other) not in (int, float):
        answer = link.operate(name, handle, other)
        if answer is not NotImplemented:
            refuse(handle, 'came where %s was compared' % article(other))
        return answer
    link.weak_comparisons += 1
    return place_of(link, handle, name, other)


def place_of(link, handle, name, other):
    number_at, low, high = (float_at, -key_of(FLOAT_LIMIT), key_of(FLOAT_LIMIT))
    if type(other) is int:
        number_at, low, high = (lambda key: key), -INT_LIMIT, INT_LIMIT

    def is_below(operation, key):
        answer = link.operate(operation, handle, number_at(key))
        if type(answer) is bool:
            return answer is (operation in ('lt', 'le'))
        if answer is NotImplemented:
            raise Unordered
        return refuse(handle, 'was compared with a number, and the answer is no bool')

    firsts = {}
    try:
        for operation in ('lt', 'le', 'gt', 'ge'):
            special = '__%s__' % operation
            if getattr(type(handle), special) is not getattr(object, special):
                firsts[operation] = first_above(lambda key: is_below(operation, key), low, high)
    except Unordered:
        return NotImplemented
    # The first number of which the object is less, and the first of which it is less or equal.
    less = {firsts[one] for one in ('lt', 'ge') if one in firsts}
    equal = {firsts[one] for one in ('le', 'gt') if one in firsts}
    agreed = None not in less | equal and len(less) < 2 and len(equal) < 2
    if not agreed or less and equal and min(less) - min(equal) not in (0, 1):
        refuse(handle, 'came where %s was compared, and has no place among numbers' % article(other))
    if other != other:
        return False
    key = other if type(other) is int else key_of(other)
    return (key >= firsts[name]) is (name in ('lt', 'le'))


class Unordered(Exception):
    """The object does not compare itself with numbers."""


def first_above(is_below, low, high):
    """The first key that the object is below; None where it is below all or none."""
    if is_below(low) or not is_below(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if is_below(middle):
            high = middle
        else:
            low = middle
    return high


def key_of(number):
    """Floats in their order, as integers without gaps."""
    bits = int.from_bytes(struct.pack('>d', abs(number)), 'big')
    return -bits if number < 0 else bits


def float_at(key):
    return struct.unpack('>d', abs(key).to_bytes(8, 'big'))[0] * (-1 if key < 0 else 1)


def article(other):
    return '%s %s' % ('an' if type(other).__name__[0] in 'aeiou' else 'a', type(other).__name__)
`,
  program_files: `"""Imports the candidate's files from the text that is to be judged, whatever lies in the workspace by now."""

import linecache
import os
import site
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader


def modules_of(paths):
    """Module name -> path, for every file that can be imported."""
    found = {}
    for path in paths:
        parts = path[:-3].split('/')
        name = '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)
        if name and (parts[-1] == '__init__' or name not in found):
            found[name] = path
    return found


class ProgramFiles:
    """A finder and loader over the text of files."""

    def __init__(self, files, folder):
        self._files = files
        self._folder = folder
        self._modules = modules_of(files)
        self._folders = {
            name.rsplit('.', depth)[0] for name in self._modules for depth in range(1, name.count('.') + 1)
        }
        for path, text in files.items():
            lines = text.splitlines(keepends=True)
            linecache.cache[self._place(path)] = (len(text), None, lines, self._place(path))

    def find_spec(self, name, path=None, target=None):
        file = self._modules.get(name)
        if file is None:
            if name not in self._folders:
                return None
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [self._place(name.replace('.', '/'))]
            return spec
        spec = spec_from_loader(
            name, self, origin=self._place(file), is_package=file.endswith('/__init__.py')
        )
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations = [os.path.dirname(spec.origin)]
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        text = self.get_source(module.__name__)
        exec(compile(text, module.__spec__.origin, 'exec', dont_inherit=True), module.__dict__)

    def get_source(self, name):
        return self._files[self._modules[name]].lstrip('\\ufeff')

    def is_package(self, name):
        return self._modules[name].endswith('/__init__.py')

    def _place(self, path):
        return os.path.join(self._folder, path)


def start_program(files, folder):
    """Makes this process look like one that runs a program in \`folder\`."""
    for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep):
        if entry:
            sys.path.insert(0, entry)
    sys.path.insert(0, folder)
    # An isolated interpreter leaves them out; the program's own run would have them.
    if os.path.isdir(site.getusersitepackages()):
        sys.path.append(site.getusersitepackages())
    sys.meta_path.insert(0, ProgramFiles(files, folder))
`,
  raised: `"""What the candidate says of an exception: its own frames, with lines as the model wrote them, and the
chain of causes."""

import linecache
import os
import reprlib
import types

MAX_FRAMES = 20
MAX_LOCALS = 12
MAX_CAUSES = 5

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 120
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxfrozenset = _short.maxdict = _short.maxdeque = 8


def source_text(value):
    """A short repr that never raises."""
    try:
        return _short.repr(value)
    except BaseException as error:
        return '<%s whose repr raises %s>' % (type(value).__name__, type(error).__name__)


def message_of(error):
    """The last line of a traceback."""
    kind = type(error)
    name = (
        kind.__qualname__
        if kind.__module__ in ('builtins', '__main__')
        else kind.__module__ + '.' + kind.__qualname__
    )
    try:
        text = error.msg if isinstance(error, SyntaxError) and type(error.msg) is str else str(error)
    except BaseException as problem:
        text = '<its text raises %s>' % type(problem).__name__
    return name + ': ' + text if text else name


def details_of(error, folder, depth=0):
    """Everything about an exception that can be said in plain JSON."""
    frames, folded, scope = [], 0, None
    step = error.__traceback__
    while step is not None:
        path = inside(step.tb_frame.f_code.co_filename, folder)
        if path is not None:
            frames.append([path, step.tb_lineno, step.tb_frame.f_code.co_name, _line(step)])
            scope = step.tb_frame
        elif not step.tb_frame.f_code.co_filename.startswith('<mendloop '):
            folded += 1
        step = step.tb_next
    if len(frames) > MAX_FRAMES:
        folded += len(frames) - MAX_FRAMES
        frames = frames[: MAX_FRAMES // 2] + frames[-MAX_FRAMES // 2 :]
    details = {'message': message_of(error), 'kind': kind_of(error), 'frames': frames, 'folded': folded}
    if isinstance(error, SyntaxError) and error.filename and inside(error.filename, folder) is not None:
        details['syntax'] = [inside(error.filename, folder), error.lineno or 1, error.offset or 0]
    if scope is not None:
        details['locals'] = _locals(scope)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < MAX_CAUSES:
        details['cause'] = details_of(cause, folder, depth + 1)
    return details


def kind_of(error):
    """The sort of failure, in the words of the contract."""
    if isinstance(error, SyntaxError):
        return 'syntax'
    if isinstance(error, ImportError):
        return 'import'
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        return 'early-exit'
    return 'assertion' if isinstance(error, AssertionError) else 'exception'


def inside(filename, folder):
    """The path within the workspace, or None for a file of a library."""
    full = os.path.abspath(filename)
    if not full.startswith(folder + os.sep) or 'site-packages' in full or filename.startswith('<'):
        return None
    return os.path.relpath(full, folder)


def _line(step):
    return linecache.getline(step.tb_frame.f_code.co_filename, step.tb_lineno).strip()[:300]


def _locals(scope):
    if scope.f_code.co_name == '<module>':
        return {}
    unwanted = (types.ModuleType, types.FunctionType, type)
    shown = [
        (name, value)
        for name, value in scope.f_locals.items()
        if not name.startswith(('__', '.')) and not issubclass(type(value), unwanted)
    ]
    return {name: source_text(value) for name, value in shown[:MAX_LOCALS]}
`,
  running: `"""Finds the tests, runs them in order and reports each by name."""

import inspect
import sys
import time
import types

standins = load('standins')
lending = load('lending')
discovery = load('discovery')
endings = load('endings')
Lost, Misuse = endings.Lost, endings.Misuse

NEVER_RUN = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
clock = time.perf_counter


class Runner:
    def __init__(self, link, finder, report, describe, name):
        self._link, self._finder, self._report, self._describe, self._name = (
            link,
            finder,
            report,
            describe,
            name,
        )

    def run(self, code, tree, namespace):
        known = discovery.named_tests(tree)
        counts = discovery.checks_at_top_level(tree, bool(known))

        def top_level():
            self._finder.refuse_conflicts(tree)
            execute(code, namespace)

        if not self._attempt(self._name, top_level, silent=not counts):
            for name in known:
                self._report.test(name, 'not-run')
            return
        ran = set()
        for name, value in list(namespace.items()):
            if type(value) is types.FunctionType and name.startswith('test_'):
                ran.add(name)
                self._attempt(name, lambda: call_test(name, value))
            elif (
                isinstance(value, type)
                and not isinstance(value, standins.StandInType)
                and value.__module__ == namespace['__name__']
            ):
                ran.update(self._run_class(name, value))
        for name in known:
            if name not in ran:
                # Something else has its name, such as what a decorator of the candidate's made of it.
                self.finish(name, no_longer(name), 0)

    def _run_class(self, name, kind):
        unittest = sys.modules.get('unittest')
        methods = list(
            dict.fromkeys(
                one
                for base in reversed(kind.__mro__)
                for one, value in vars(base).items()
                if one.startswith('test') and callable(value)
            )
        )
        replaced = [one for one in methods if isinstance(inspected(kind, one), standins.Handle)]
        methods = [one for one in methods if one not in replaced]
        if unittest is not None and issubclass(kind, unittest.TestCase):
            methods = [one for one in methods if self._would_run(unittest, name, kind, one)]
            try:
                self._run_cases(unittest, name, kind, methods)
            except BaseException as error:
                # Such as a KeyboardInterrupt of the candidate's, with which unittest gives up.
                self.finish(name, error, 0)
        elif name.startswith('Test'):
            methods = [one for one in methods if one.startswith('test_')]
            for method in methods:
                self._attempt('%s.%s' % (name, method), lambda: call_method(kind, method))
        else:
            return ()
        for method in replaced:
            # What a decorator of the candidate's made of a test might do nothing.
            self.finish('%s.%s' % (name, method), no_longer(method), 0)
        return ['%s.%s' % (name, method) for method in (*methods, *replaced)]

    def _would_run(self, unittest, name, kind, method):
        code = getattr(inspected(kind, method), '__code__', None)
        awaits = issubclass(kind, unittest.IsolatedAsyncioTestCase)
        if code is None or not code.co_flags & (NEVER_RUN if awaits else NEVER_RUN | inspect.CO_COROUTINE):
            return True
        full = '%s.%s' % (name, method)
        self.finish(full, Misuse('%s is a generator or coroutine, so none of it would run' % full), 0)
        return False

    def _attempt(self, name, work, silent=False):
        """Runs one test. A silent one, such as a list of definitions, is reported only when it fails."""
        self._report.start(name)
        begun = clock()
        self._link.last_call = None
        error = None
        try:
            work()
        except BaseException as problem:
            error = problem
        return self.finish(name, error, clock() - begun, silent)

    def finish(self, name, error, seconds, silent=False):
        held, self._link.held = self._link.held, []
        # A misuse before all else: whatever came of it is no fault of the program's.
        error = next((one for one in held if isinstance(one, Misuse)), error)
        if error is None and held:
            error = held[0]
        if error is None and self._link.lost is not None:
            error = Lost(self._link.lost)
        if error is None and silent:
            return True
        lost = isinstance(error, Lost) or error is not None and self._link.lost is not None
        failures = [] if error is None or lost else [self._described(error)]
        self._report.test(name, 'pass' if error is None else 'fail', seconds, failures)
        return error is None

    def _described(self, error):
        try:
            return self._describe(error)
        except BaseException as problem:
            return {
                'kind': 'custom',
                'message': '%s (and the judge could not describe it: %s)'
                % (type(error).__name__, type(problem).__name__),
            }

    def _run_cases(self, unittest, name, kind, methods):
        runner, link, report = self, self._link, self._report

        class Result(unittest.TestResult):
            # Python 3.12.1 starts no test that is skipped.
            begun = error = None
            skipped_now = False

            def startTest(self, test):
                super().startTest(test)
                if link.held:
                    runner.finish('%s.setUpClass' % name, None, 0)
                link.last_call = None
                self.begun, self.error, self.skipped_now = clock(), None, False
                report.start(self.named(test))

            def named(self, test):
                return '%s.%s' % (name, getattr(test, '_testMethodName', 'setUpClass'))

            def note(self, test, problem):
                if self.begun is not None:
                    self.error = self.error or problem
                else:
                    runner.finish(self.named(test), problem, 0)

            def addError(self, test, info):
                self.note(test, info[1])

            def addFailure(self, test, info):
                self.note(test, info[1])

            def addSubTest(self, test, subtest, info):
                if info is not None:
                    self.note(test, info[1])

            def addUnexpectedSuccess(self, test):
                self.note(test, AssertionError('passed, though it was expected to fail'))

            def addSkip(self, test, reason):
                self.skipped_now = True

            def stopTest(self, test):
                super().stopTest(test)
                if self.skipped_now and self.error is None:
                    report.test(self.named(test), 'not-run')
                else:
                    runner.finish(self.named(test), self.error, clock() - self.begun)
                done.add(test._testMethodName)
                self.begun, self.error, self.skipped_now = None, None, False

        done = set()
        unittest.TestSuite(kind(method) for method in methods).run(Result())
        if link.held:
            self.finish('%s.tearDownClass' % name, None, 0)
        for method in methods:
            if method not in done:
                report.test('%s.%s' % (name, method), 'not-run')


def execute(code, namespace):
    try:
        exec(code, namespace)
    except SystemExit as error:
        # The tests' own end, such as that of \`unittest.main()\`, is not the candidate's.
        if hasattr(error, '_mendloop_raised') or error.code not in (None, 0, False):
            raise


def call_test(name, function):
    refuse_fixtures(name, function)
    settle(name, function())


def refuse_fixtures(name, function, given=0):
    code = function.__code__
    required = code.co_argcount - len(function.__defaults__ or ())
    if required > given and not hasattr(function, '__wrapped__'):
        raise Misuse(
            '%s takes arguments (%s), which only pytest could fill in'
            % (name, ', '.join(code.co_varnames[given:required]))
        )


def inspected(kind, name):
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def no_longer(name):
    return TypeError('%s is no longer the function that the tests define' % name)


def call_method(kind, name):
    if isinstance(inspected(kind, name), types.FunctionType):
        refuse_fixtures(name, inspected(kind, name), given=1)
    instance = kind()
    for hook in ('setup_method', 'setUp'):
        getattr(instance, hook, int)()
    try:
        settle(name, getattr(instance, name)())
    finally:
        for hook in ('teardown_method', 'tearDown'):
            getattr(instance, hook, int)()


def settle(name, result):
    if isinstance(result, types.CoroutineType):
        lending.run(result)
    elif isinstance(result, types.GeneratorType):
        raise Misuse('%s is a generator, so none of it would run' % name)
`,
  standins: `"""In the judge: what \`import solution\` gives to the tests. Every use of these objects becomes a message."""

import types

# Dunder attributes that are data; protocols that hand out memory or code (\`__array_interface__\`,
# \`__reduce__\`) are not.
READABLE = frozenset(
    '''__name__ __qualname__ __doc__ __module__ __dict__ __annotations__ __wrapped__ __all__ __version__
__author__ __file__ __notes__ __defaults__ __kwdefaults__ __slots__ __members__ __abstractmethods__
__match_args__ __dataclass_fields__ __cause__ __context__'''.split()
)


# Questions that the tests ask of plain data, as in \`assert name(x).startswith('a')\`: no other object answers
# them.
PREDICATES = frozenset(
    name
    for kind in (str, bytes, float, set)
    for name in dir(kind)
    if name.startswith('is') or name in ('startswith', 'endswith')
)


def refuse(stand_in, message='took the place of plain data'):
    """Fails the test, whoever catches the exception: what the candidate answers here, the tests cannot rest
    on."""
    kind = stand_in if isinstance(stand_in, StandInType) else type(stand_in)
    error = TypeError("an object of the program's class %r %s" % (kind.__name__, message))
    kind._mendloop_link.hold_against(error)
    raise error


def is_dunder(name):
    return name.startswith('__') and name.endswith('__')


class StandInType(type):
    """Class of the stand-ins for the candidate's classes, so that \`isinstance\`, \`except\` and calls work on
    them."""

    def __call__(cls, *arguments, **named):
        return cls._mendloop_link.call(cls._mendloop_class, cls.__name__, arguments, named)

    def __new__(meta, name, bases, body, link=None, number=0):
        if link is None:
            base = next(base for base in bases if isinstance(base, StandInType))
            base._mendloop_link.misused(
                'the tests derive %s from a class of the program, which lives in another process' % name
            )
        body.update(_mendloop_link=link, _mendloop_class=number, _mendloop_named=False)
        return super().__new__(meta, name, bases, body)

    def __init__(cls, name, bases, body, link=None, number=0):
        super().__init__(name, bases, body)

    def __getattr__(cls, name):
        if name.startswith('_mendloop') or is_dunder(name) and name not in READABLE:
            raise AttributeError(name)
        return cls._mendloop_link.get(cls._mendloop_class, name, cls.__name__)

    def __setattr__(cls, name, value):
        if name.startswith('_mendloop') or is_dunder(name):
            type.__setattr__(cls, name, value)
        else:
            cls._mendloop_link.ask('set', cls, name, value)

    def __delattr__(cls, name):
        cls._mendloop_link.ask('delete', cls, name)

    def __bool__(cls):
        return True

    def __iter__(cls):
        return iter_over(cls)

    def __len__(cls):
        return cls._mendloop_link.operate('len', cls)

    def __contains__(cls, item):
        return load('probes').holds(cls._mendloop_link, cls, item)

    def __getitem__(cls, key):
        return cls._mendloop_link.operate('getitem', cls, key)

    def __dir__(cls):
        return cls._mendloop_link.operate('dir', cls)


class Handle:
    """Base of the stand-ins for the candidate's objects. Operators are added class by class, as the
    candidate has them."""

    __slots__ = ('_mendloop_number', '_mendloop_tainted', '_mendloop_data', '__weakref__')

    def __getattr__(self, name):
        if name.startswith('_mendloop') or is_dunder(name) and name not in READABLE:
            raise AttributeError('%r object has no attribute %r' % (type(self).__name__, name))
        looks = type(self)._mendloop_looks
        if looks in UNCHANGING and name in dir(looks) and not type(self)._mendloop_named:
            return getattr(data_of(self, looks()), name)
        if name in PREDICATES:
            if not type(self)._mendloop_named:
                refuse(self)
            link_of(self).weak_comparisons += 1
        return link_of(self).get(self._mendloop_number, name, type(self).__name__)

    def __setattr__(self, name, value):
        link_of(self).ask('set', self, name, value)

    def __delattr__(self, name):
        link_of(self).ask('delete', self, name)

    def __del__(self):
        link_of(self).dropped.append(self._mendloop_number)

    def __repr__(self):
        return text_of(self, 'repr')

    def __str__(self):
        return text_of(self, 'str')

    def __format__(self, spec):
        return text_of(self, 'format', spec)

    def __dir__(self):
        return link_of(self).operate('dir', self)

    def __copy__(self):
        return link_of(self).operate('copy', self)

    def __deepcopy__(self, memo):
        return link_of(self).operate('deepcopy', self)

    def __eq__(self, other):
        return self is other or not isinstance(other, Handle) and is_alike(self, other)

    def __bool__(self):
        link_of(self).weak_comparisons += 1
        return all('__len__' not in vars(base) for base in type(self).__mro__) or len(self) > 0

    def __hash__(self):
        return object.__hash__(self)


class Remote:
    """An attribute that every class has of its own, read from the candidate instead, for classes and
    instances."""

    def __init__(self, name):
        self._name = name

    def __get__(self, handle, kind):
        number = kind._mendloop_class if handle is None else handle._mendloop_number
        return kind._mendloop_link.get(number, self._name, kind.__name__)


DATA = {name: Remote(name) for name in ('__doc__', '__module__')}


def link_of(handle):
    return type(handle)._mendloop_link


def data_of(handle, other):
    """The plain data below an object of a program's own kind of int, str, list and so on, where \`other\` is
    such data too; NotImplemented elsewhere. The candidate told it without knowing what it would be compared
    with."""
    looks = type(handle)._mendloop_looks
    fits = isinstance(other, NUMBERS) if looks in NUMBERS else isinstance(other, looks or ())
    if looks not in EXACT or not fits:
        return NotImplemented
    data = handle._mendloop_data or [None]
    if looks not in UNCHANGING:
        data = [link_of(handle).operate('data', handle)]
    return data[0] if type(data[0]) is looks else refuse(handle)


def is_alike(handle, other):
    """Whether an object of the candidate's equals plain data, whatever its own __eq__ would say."""
    data = data_of(handle, other)
    return data is not NotImplemented and data == other


def text_of(handle, name, *rest):
    if link_of(handle).waiting:
        # Shown while the candidate is at work: it cannot be asked now.
        return '<%s>' % type(handle).__name__
    text = link_of(handle).operate(name, handle, *rest)
    if type(text) is not str:
        raise TypeError('%s returned no text' % name)
    return text


def iter_over(source):
    link = source._mendloop_link
    iterator = link.operate('iter', source)
    return iter(iterator) if not isinstance(iterator, Handle) else steps(link, iterator)


def steps(link, iterator):
    while True:
        item = link.operate('next', iterator)
        if item is link.STOP:
            return
        yield item


# Isinstance looks at this where the real class says no: a program's own kind of list is a list to the tests.
LOOKS = {
    'generator': types.GeneratorType,
    'async_generator': types.AsyncGeneratorType,
    'module': types.ModuleType,
}
UNCHANGING = (int, float, complex, str, bytes, tuple, frozenset)
NUMBERS = (int, float, complex)
EXACT = (*NUMBERS, str, bytes, bytearray, list, tuple, set, frozenset, dict)


class StandInModule(types.ModuleType):
    """Stands for one of the candidate's modules."""

    def __init__(self, name, link, number, names, path):
        super().__init__(name)
        self.__dict__.update(
            _mendloop_link=link, _mendloop_number=number, _mendloop_names=names, __file__=path
        )

    def __getattr__(self, name):
        if name == '__all__':
            return self._mendloop_names
        if is_dunder(name) and name not in READABLE:
            raise AttributeError('module %r has no attribute %r' % (self.__name__, name))
        return self._mendloop_link.get(self._mendloop_number, name, None)

    def __setattr__(self, name, value):
        # The import machinery binds submodules and its own names; everything else is for the candidate.
        if is_dunder(name) or isinstance(value, types.ModuleType):
            super().__setattr__(name, value)
        else:
            self._mendloop_link.ask('set', self, name, value)

    def __delattr__(self, name):
        if name in self.__dict__:
            super().__delattr__(name)
        else:
            self._mendloop_link.ask('delete', self, name)

    def __dir__(self):
        return list(self._mendloop_names)
`,
  suppression: `"""Which exceptions of the tests' own the program may swallow, and which stay failures of the test."""

import ast
import builtins

TESTS = '<tests>'


def is_failed_check(error):
    """True for a check of the tests that failed, rather than one of the program's."""
    return isinstance(error, AssertionError) and not hasattr(error, '_mendloop_raised')


def is_example(error):
    """True for an assert such as \`assert 1 == 2\`, which can only be meant to fail: an example for a program
    that runs tests. \`assert False\` says instead that this must not be reached."""
    check = getattr(error, '_mendloop_check', None)
    if check is None or error.args:
        return False
    test = check[0].test
    return isinstance(test, ast.Compare) and not any(isinstance(part, ast.Name) for part in ast.walk(test))


def allowed(link, error, answer):
    """The answer of a context manager of the candidate's to what was raised in its \`with\`."""
    if error is None or hasattr(error, '_mendloop_raised') or not answer:
        return answer
    if is_failed_check(error) or rests_on_program(link, error):
        link.hold_against(error)
        return False
    return answer


def rests_on_program(link, error):
    """Whether the statement that failed had to do with the program, and was no example of a failure."""
    step, found = error.__traceback__, None
    while step is not None:
        if step.tb_frame.f_code.co_filename == TESTS:
            found = step
        step = step.tb_next
    if found is None or link.tests_tree is None:
        return True
    statement = innermost(link.tests_tree, found.tb_lineno)
    if statement is None or isinstance(statement, ast.Raise):
        return False
    if isinstance(statement, ast.Assert):
        return True
    entered = {
        name.id
        for node in ast.walk(link.tests_tree)
        if isinstance(node, ast.withitem) and node.optional_vars is not None
        for name in ast.walk(node.optional_vars)
        if isinstance(name, ast.Name)
    }
    known = {**found.tb_frame.f_globals, **found.tb_frame.f_locals}
    standins = load('standins')
    theirs = (standins.Handle, standins.StandInType, standins.StandInModule, type(None))
    return any(
        node.id in entered or node.id not in vars(builtins) and isinstance(known.get(node.id), theirs)
        for node in own_parts(statement)
        if isinstance(node, ast.Name)
    )


def innermost(tree, line):
    """The smallest statement around a line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    # Of those on one line, the innermost comes last.
    around.reverse()
    return min(around, key=lambda node: (node.end_lineno or node.lineno) - node.lineno, default=None)


def own_parts(statement):
    """What a statement does itself, without the statements within it."""
    yield statement
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield from own_parts(child)
`,
  surroundings: `"""In the candidate's process: what a test has put in place of standard streams, \`input\` and arguments."""

import builtins
import io
import sys


class Surroundings:
    """In force for the length of one call."""

    def __init__(self, server, wishes):
        self._replaced = []
        self._streams = [io.StringIO() if wishes.get(name) else None for name in ('stdout', 'stderr')]
        for name, stream in zip(('stdout', 'stderr'), self._streams):
            if stream is not None:
                self._replace(sys, name, stream)
        if wishes.get('stdin') is not None:
            self._replace(sys, 'stdin', io.StringIO(wishes['stdin']))
        if wishes.get('argv') is not None:
            self._replace(sys, 'argv', wishes['argv'])
        if wishes.get('input') is not None:
            self._replace(builtins, 'input', server.decode(wishes['input']))

    def call(self, function, arguments, named):
        try:
            return function(*arguments, **named)
        finally:
            for owner, name, value in reversed(self._replaced):
                setattr(owner, name, value)

    def printed(self):
        return [None if stream is None else stream.getvalue() for stream in self._streams]

    def _replace(self, owner, name, value):
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)
`,
  values: `"""Values on the wire. Plain data of exact types crosses as itself; containers that can change cross once
and are kept alike on both sides; everything else is left to \`refer\` and \`resolve\` of the two ends."""

import collections
import sys
from operator import is_

Broken = load('wire').Broken
plain = load('plain')

MAX_DEPTH = 120
SAFE_INT = 1 << 63
# Beyond this many at once, containers cross as copies.
MAX_CONTAINERS = 5000
# How much is kept alike beyond one call: enough for what tests hold in variables, cheap enough for every
# message.
KEPT_CONTAINERS = 64
KEPT_ITEMS = 256

ATOMS = frozenset((str, bool, float, type(None)))
PRIMITIVES = ATOMS | {int}


def snapshot(container):
    """What a container holds, to be compared by identity later."""
    if isinstance(container, dict):
        return (*container, *container.values())
    return bytes(container) if type(container) is bytearray else tuple(container)


def unchanged(container, seen):
    if type(container) is bytearray:
        return container == seen
    if isinstance(container, dict):
        return 2 * len(container) == len(seen) and all(map(is_, (*container, *container.values()), seen))
    return len(container) == len(seen) and all(map(is_, container, seen))


def references_when_alone():
    """What getrefcount says in \`outlived\` of a container that nothing else refers to; it differs between
    versions."""
    for entry in [[[], ()]]:
        container = entry[0]
        return sys.getrefcount(container)


ALONE = references_when_alone()


class Codec:
    """Turns values into JSON trees and back. \`first\` is 1 or 2, so that the numbers of the two ends never
    meet."""

    def __init__(self, first):
        self._next = first
        self._shared = {}  # number -> [container, snapshot]
        self._numbers = {}  # id of container -> number
        self._tuples = {}  # number <-> namedtuple class

    def refer(self, value):
        raise NotImplementedError

    def resolve(self, tree):
        raise NotImplementedError

    def late_writer(self, kind):
        return plain.late_writer(kind)

    def new_number(self):
        self._next += 2
        return self._next

    def encode(self, value, depth=0):
        kind = type(value)
        if kind in ATOMS:
            return value
        if kind is int:
            return value if -SAFE_INT < value < SAFE_INT else ['i', hex(value)]
        if depth >= MAX_DEPTH:
            return self.refer(value)
        write = plain.WRITERS.get(kind) or self.late_writer(kind)
        return self.refer(value) if write is None else write(self, value, depth + 1)

    def items(self, values, depth=0):
        return [
            (
                value
                if (kind := type(value)) in ATOMS or kind is int and -SAFE_INT < value < SAFE_INT
                else self.encode(value, depth)
            )
            for value in values
        ]

    def decode(self, tree):
        if type(tree) in PRIMITIVES:
            return tree
        if type(tree) is not list or not tree or type(tree[0]) is not str:
            raise Broken('not a value')
        read = plain.READERS.get(tree[0])
        return self.resolve(tree) if read is None else read(self, *tree[1:])

    def values(self, trees):
        if type(trees) is not list:
            raise Broken('not a list of values')
        return [tree if type(tree) in PRIMITIVES else self.decode(tree) for tree in trees]

    # -- containers that are kept alike -------------------------------------------------------------

    def write_container(self, container, depth):
        number = self._numbers.get(id(container))
        if number is not None:
            return ['@', number]
        number = 0
        if len(self._shared) < MAX_CONTAINERS:
            number = self.new_number()
            self._keep(number, container)
            self._shared[number][1] = snapshot(container)
        extra = []
        if type(container) is collections.deque:
            extra = [container.maxlen]
        elif isinstance(container, dict):
            factory = self.encode(getattr(container, 'default_factory', None), depth)
            extra = [type(container).__name__, factory]
        return [plain.MUTABLE[type(container)], number, self._contents(container, depth), *extra]

    def read_container(self, container, number, contents):
        if type(number) is not int or number in self._shared:
            raise Broken('not a new container')
        if number:
            self._keep(number, container)
        self._fill(container, contents)
        if number:
            self._shared[number][1] = snapshot(container)
        return container

    def known(self, number):
        return self._shared[number][0]

    def changes(self):
        """What changed on this side since both were last alike."""
        found = []
        for number, entry in list(self._shared.items()):
            if not unchanged(*entry):
                entry[1] = snapshot(entry[0])
                found.append([number, self._contents(entry[0], 1)])
        return found

    def apply(self, changes):
        """Takes over what changed on the other side; true when something did."""
        for number, contents in changes:
            entry = self._shared[number]
            self._fill(entry[0], contents)
            entry[1] = snapshot(entry[0])
        return bool(changes)

    def outlived(self):
        """Numbers of containers that nobody here can reach any more, or that are too many or too large to
        watch."""
        gone = []
        excess = len(self._shared) - KEPT_CONTAINERS
        for number, entry in self._shared.items():
            container = entry[0]
            if excess > 0 or len(container) > KEPT_ITEMS or sys.getrefcount(container) <= ALONE:
                gone.append(number)
                excess -= 1
        container = None
        self.forget(gone)
        return gone

    def forget(self, numbers):
        for number in numbers:
            entry = self._shared.pop(number, None)
            if entry is not None:
                self._numbers.pop(id(entry[0]), None)

    def _keep(self, number, container):
        self._shared[number] = [container, ()]
        self._numbers[id(container)] = number

    def _contents(self, container, depth):
        if isinstance(container, dict):
            return [self.items(tuple(container), depth), self.items(tuple(container.values()), depth)]
        return container.hex() if type(container) is bytearray else self.items(tuple(container), depth)

    def _fill(self, container, contents):
        if type(container) is bytearray:
            container[:] = bytes.fromhex(contents)
        elif isinstance(container, dict):
            keys, values = map(self.values, contents)
            container.clear()
            for key, value in zip(keys, values):
                container[key] = value
        else:
            new = self.values(contents)
            container.clear()
            (container.update if type(container) is set else container.extend)(new)

    # -- named tuples: each end has a class of its own for the same number --------------------------

    def tuple_class(self, kind):
        """The number of a plain namedtuple class, with what makes it, when the other end has not seen it."""
        number = self._tuples.get(kind)
        if number is not None:
            return [number]
        number = self.new_number()
        self._tuples[kind], self._tuples[number] = number, kind
        defaults = self.items(kind._field_defaults.values(), 1)
        return [number, kind.__name__, list(kind._fields), defaults]

    def read_tuple_class(self, number, name=None, fields=None, defaults=None):
        if name is None:
            return self._tuples[number]
        if type(number) is not int or number in self._tuples or len(self._tuples) > 2000:
            raise Broken('not a new class')
        kind = collections.namedtuple(name, fields, defaults=self.values(defaults))
        self._tuples[kind], self._tuples[number] = number, kind
        return kind
`,
  wire: `"""Frames between the judge and the candidate: a length, then JSON. Either side may be fed by an enemy."""

import json
import os
import select

MAX_FRAME_BYTES = 64 << 20
SLOW_MS = 500
CHUNK_BYTES = 1 << 16

# No ASCII escapes: two lone surrogates written as escapes would come back as one character.
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(',', ':')).encode
_decode = json.JSONDecoder().decode


class Closed(Exception):
    """The other side is gone."""


class Broken(Exception):
    """The other side sent something that is no message."""


class Channel:
    """One end of the wire. Messages alternate, so nothing may follow a message that was just read."""

    def __init__(self, read_fd, write_fd, peer_pid=None):
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._peer_pid = peer_pid
        # A descendant of the peer can hold the pipe open after the peer's death; its pidfd tells.
        self._peer_fd = _pidfd(peer_pid)
        # Called once for an answer that takes long.
        self.on_slow = None
        self._poll = None
        if self._peer_fd is not None:
            self._poll = select.poll()
            self._poll.register(read_fd, select.POLLIN)
            self._poll.register(self._peer_fd, select.POLLIN)
        # Bound now: a candidate may replace these functions in its own process.
        self._write, self._read = os.write, os.read

    def send(self, message):
        body = _encode(message).encode('utf-8', 'surrogatepass')
        data = memoryview(len(body).to_bytes(4, 'big') + body)
        try:
            while data:
                data = data[self._write(self._write_fd, data) :]
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self):
        data = bytearray(self._chunk(CHUNK_BYTES))
        while len(data) < 4:
            data += self._chunk(CHUNK_BYTES)
        size = int.from_bytes(data[:4], 'big')
        if size > MAX_FRAME_BYTES:
            raise Broken('a message of %d bytes' % size)
        while len(data) < size + 4:
            data += self._chunk(min(size + 4 - len(data), 1 << 20))
        if len(data) > size + 4:
            raise Broken('two messages where one was due')
        try:
            message = _decode(data[4:].decode('utf-8', 'surrogatepass'))
        except (ValueError, RecursionError) as error:
            raise Broken('not JSON: %s' % error) from None
        if type(message) is not list or len(message) < 2 or type(message[0]) is not str:
            raise Broken('not a message')
        return message

    def peer_status(self):
        """How the peer ended, as \`os.waitpid\` says it; None while it runs."""
        if self._peer_fd is not None:
            # Its pipe closes a moment before its end can be asked for.
            end = select.poll()
            end.register(self._peer_fd, select.POLLIN)
            end.poll(500)
        try:
            pid, status = os.waitpid(self._peer_pid, os.WNOHANG)
        except ChildProcessError:
            return None
        return None if pid == 0 else status

    def _chunk(self, limit):
        if self._poll is not None:
            ready = self._poll.poll(SLOW_MS if self.on_slow is not None else None)
            if not ready:
                self.on_slow()
                ready = self._poll.poll()
            if all(fd != self._read_fd for fd, _ in ready):
                raise Closed('the process ended')
        try:
            chunk = self._read(self._read_fd, limit)
        except OSError as error:
            raise Closed(str(error)) from None
        if not chunk:
            raise Closed('the process ended')
        return chunk


def _pidfd(pid):
    """A descriptor that becomes readable when the process ends, or None where the system has no such
    thing."""
    try:
        return None if pid is None else os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
`,
} as const

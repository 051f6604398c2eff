"""Turns what went wrong in a test into plain JSON: input, expected and actual as source text, and the
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
            ] += '; `import *` left out %s, which would hide a builtin: import it by name' % ', '.join(
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

"""Runs one cell: its statements in the session's module, and the value of its last expression."""

import __future__

import ast
import builtins
import linecache
import os
import re
import sys

failures, lending = load('failures'), load('lending')

FUTURES = 0
for _feature in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _feature).compiler_flag
AWAIT = getattr(ast, 'PyCF_ALLOW_TOP_LEVEL_AWAIT', 0)
IS_COROUTINE = 0x80
MOST_NAMES = 200
MOST_NAME_CHARACTERS = 100


class Cells:
    """The cells of one session; what one defines the next one finds."""

    def __init__(self, module, displays, options):
        self.namespace = module.__dict__
        self.displays = displays
        self.with_locals = options['locals']
        self.futures = 0
        self.loop = None
        self.hidden = set(self.namespace)

    def run(self, request):
        """Runs `code` as the file `file`. @returns what became of it, as plain data"""
        report = {'ok': True}
        self.displays.start()
        try:
            value = self.execute(request['code'], request['file'])
            if value is not None:
                builtins._ = value
                report['value'] = self.displays.bundle(value)
        except SystemExit as leaving:
            report = {'ok': False, 'exit': exit_code(leaving)}
            report['ok'] = report['exit'] == 0
        except BaseException as error:
            report = self.failed(error)
        try:
            self.displays.finish()
        except BaseException as error:  # a figure that cannot be drawn is a mistake of the cell
            if report['ok']:
                report = self.failed(error)
        return report

    def failed(self, error):
        """What is told of an exception; without its variables when one does not come to show itself."""
        try:
            return failures.report(error, self.with_locals, self.namespace)
        except KeyboardInterrupt:
            return failures.report(error, False, self.namespace)

    def execute(self, code, file):
        """Compiles all of it before any of it runs, so that a mistake at the end leaves nothing half done."""
        # Python's reader of files passes over a byte order mark, its reader of texts does not.
        code = code[1:] if code.startswith('\ufeff') else code
        # As Python's own reader counts them: str.splitlines knows further ends of lines.
        lines = [line + '\n' for line in re.split('\r\n|\r|\n', code)]
        # Tracebacks read the source from here; the time None means that no file need be looked at.
        linecache.cache[file] = (len(code), None, lines, file)
        # What one cell was warned of, another one has not heard yet.
        self.namespace.pop('__warningregistry__', None)
        try:
            body, last = self.compile_all(code, file, lines)
        except SyntaxError as error:
            raise load('syntax_errors').explained(error, file, lines)
        self.evaluate(body)
        return last and self.evaluate(last)

    def compile_all(self, code, file, lines):
        """The statements, and the last expression if its value is wanted."""
        # Not ast.parse: its own frame would stand in the traceback of a syntax error.
        tree = compile(code, file, 'exec', self.futures | AWAIT | ast.PyCF_ONLY_AST, dont_inherit=True)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not is_muted(tree.body[-1], lines):
            last = ast.Expression(tree.body.pop().value)
        body = self.compile(tree, file, 'exec')
        return body, last and self.compile(last, file, 'eval')

    def compile(self, tree, file, mode):
        """`from __future__` holds for the cells that follow, too."""
        code = compile(tree, file, mode, self.futures | AWAIT, dont_inherit=True)
        self.futures |= code.co_flags & FUTURES
        return code

    def evaluate(self, code):
        """Runs it, in the session's own event loop where it awaits something."""
        with lending.Lent():
            value = eval(code, self.namespace)
            return self.complete(value) if code.co_flags & IS_COROUTINE else value

    def complete(self, coroutine):
        """Runs a coroutine to its end. An interrupt cancels it, so that the traceback says where it was."""
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt as interrupt:
            # One that it met while it ran has ended it, and the loop would wait for it for ever.
            if task.done():
                raise interrupt.with_traceback(below(interrupt, asyncio))
            task.cancel()
            try:
                self.loop.run_until_complete(task)
            except asyncio.CancelledError as cancelled:
                raise interrupt.with_traceback(below(cancelled, asyncio)) from None
            raise
        except BaseException as error:
            raise error.with_traceback(below(error, asyncio))

    def names(self):
        """What the cells have defined so far."""
        own = (name for name in list(self.namespace) if isinstance(name, str) and name not in self.hidden)
        shown = [name[:MOST_NAME_CHARACTERS] for name in own if not name.startswith('_')]
        return sorted(shown)[:MOST_NAMES]


def below(error, package):
    """The traceback from where it leaves the event loop that runs the cell."""
    folder, trace = os.path.dirname(package.__file__), error.__traceback__
    while trace.tb_next and trace.tb_frame.f_code.co_filename.startswith((folder, failures.OURS)):
        trace = trace.tb_next
    return trace


def is_muted(statement, lines):
    """A semicolon after the last expression means that its value is not wanted."""
    line = lines[statement.end_lineno - 1].encode('utf-8')
    rest = line[statement.end_col_offset :] + ''.join(lines[statement.end_lineno :]).encode('utf-8')
    return rest.lstrip(b' \t\\\r\n)').startswith(b';')


def exit_code(leaving):
    """The code that a process would end with; a text goes to standard error, as it would there."""
    code = leaving.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int.__and__(code, 0xFF)
    print(code, file=sys.stderr)
    return 1

// Written by tools/guest-programs.mjs from the .py and .mjs files beside it; edit those.

/** Text of each program that runs inside a sandbox, by its file's name without the ending. */
export const guestPrograms = {
  bootstrap: `# The whole of the session's command line: reads its programs from standard input and starts the first.
import json, os, sys, types


def take():
    """The first frame of standard input, never a byte more: what follows is the control process's to read."""

    def exactly(count):
        parts = []
        while count:
            part = os.read(0, min(count, 1 << 20))
            if not part:
                raise SystemExit('the input of the session ended early')
            parts.append(part)
            count -= len(part)
        return b''.join(parts)

    return json.loads(exactly(int.from_bytes(exactly(4), 'big')).decode('utf-8'))


def load(name):
    """One of our own programs as a module, compiled when it is first asked for."""
    full = '_mendloop_session_' + name
    if full not in sys.modules:
        module = sys.modules[full] = types.ModuleType(full)
        module.load = load
        exec(compile(setup['programs'][name], '<mendloop ' + name + '>', 'exec'), module.__dict__)
    return sys.modules[full]


setup = take()
load('control').main(setup['options'])
`,
  cells: `"""Runs one cell: its statements in the session's module, and the value of its last expression."""

import __future__

import ast
import builtins
import linecache
import os
import re
import sys

failures = load('failures')

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
        """Runs \`code\` as the file \`file\`. @returns what became of it, as plain data"""
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
            report = failures.report(error, self.with_locals, self.namespace)
        try:
            self.displays.finish()
        except BaseException as error:  # a figure that cannot be drawn is a mistake of the cell
            if report['ok']:
                report = failures.report(error, self.with_locals, self.namespace)
        return report

    def execute(self, code, file):
        """Compiles all of it before any of it runs, so that a mistake at the end leaves nothing half done."""
        # As Python's own reader counts them: str.splitlines knows further ends of lines.
        lines = [line + '\\n' for line in re.split('\\r\\n|\\r|\\n', code)]
        # Tracebacks read the source from here; the time None means that no file need be looked at.
        linecache.cache[file] = (len(code), None, lines, file)
        # Not ast.parse: its own frame would stand in the traceback of a syntax error.
        tree = compile(code, file, 'exec', self.futures | AWAIT | ast.PyCF_ONLY_AST, dont_inherit=True)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not is_muted(tree.body[-1], lines):
            last = ast.Expression(tree.body.pop().value)
        body = self.compile(tree, file, 'exec')
        last = last and self.compile(last, file, 'eval')
        self.evaluate(body)
        return last and self.evaluate(last)

    def compile(self, tree, file, mode):
        """\`from __future__\` holds for the cells that follow, too."""
        code = compile(tree, file, mode, self.futures | AWAIT, dont_inherit=True)
        self.futures |= code.co_flags & FUTURES
        return code

    def evaluate(self, code):
        """Runs it, in the session's own event loop where it awaits something."""
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
    return rest.lstrip(b' \\t\\\\\\r\\n)').startswith(b';')


def exit_code(leaving):
    """The code that a process would end with; a text goes to standard error, as it would there."""
    code = leaving.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1
`,
  control: `"""The control process: alone holds the session's descriptors, passes frames on, and replaces the worker, in
which the code of the user runs, when it has died or does not let itself be interrupted."""

import gc
import os
import selectors
import signal
import sys

framing, system, workers = load('framing'), load('system'), load('workers')

READ_BYTES = 64 * 1024
MOST_FROM_WORKER = 63 * 1024 * 1024
NONCE_BYTES = 16
DRAIN_BYTES = 4 * 1024 * 1024
MOST_STILLBORN = 10
MOST_LAST_READS = 64


class Control:
    """The host on one side, the worker on the other."""

    def __init__(self, options):
        self.options = options
        self.host_in, self.host_out = system.take_over_channels()
        self.from_host = framing.Frames()
        self.selector = selectors.DefaultSelector()
        self.cell = 0
        #: Of the present cell: it runs; it is to be interrupted; how often it has been.
        self.started, self.interrupted, self.interrupts = False, False, 0
        #: What a worker has still to begin: if it dies before, its successor gets it.
        self.request = None
        self.nonce = self.nonce_before = os.urandom(NONCE_BYTES)
        #: Number of the last replacement that the host asked for.
        self.replacement = 0
        #: Workers in a row that have ended by themselves before they ran a cell.
        self.stillborn = 0
        self.wake = watch_children()
        self.selector.register(self.host_in, selectors.EVENT_READ, self.on_host)
        self.selector.register(self.wake, selectors.EVENT_READ, self.on_child)
        self.worker = None

    def serve(self):
        """Until the host has gone."""
        hello = {
            'protocol': 1,
            'language': 'python',
            'version': '.'.join(str(part) for part in sys.version_info[:3]),
            'executable': sys.executable or '',
        }
        framing.write_all(self.host_out, framing.MAGIC)
        self.tell(framing.HELLO, 0, framing.as_json(hello))
        self.start_worker()
        while True:
            for key, ready in self.selector.select():
                # One that was ready may be gone by the time it is its turn.
                if self.selector.get_map().get(key.fd) is key:
                    key.data(ready)

    def tell(self, kind, number, payload=b''):
        """One frame to the host."""
        try:
            framing.write_all(self.host_out, framing.pack(kind, number, payload))
        except OSError:
            self.leave()

    def tell_call(self, number, payload):
        """A call of the worker to the host."""
        self.tell(framing.CALL, number, payload)

    def leave(self):
        """The host has gone: nobody stays behind."""
        self.worker.end()
        os._exit(0)

    # The host.

    def on_host(self, _):
        """Frames of the host."""
        data = os.read(self.host_in, READ_BYTES * 16)
        if not data:
            self.leave()
        for kind, number, payload in self.from_host.feed(data):
            if kind == framing.RUN:
                self.cell, self.request = number, payload
                self.give()
            elif kind == framing.INTERRUPT and number == self.cell:
                self.interrupted = True
                self.interrupt()
            elif kind == framing.REPLACE:
                # Whatever it has not begun is over, too.
                self.replacement, self.request, self.worker.condemned = number, None, True
                self.worker.signal(signal.SIGKILL)
            elif kind == framing.REPLY:
                self.worker.answer(number, payload)
                self.worker.ask_next(self.tell_call)
        self.watch_worker()

    def give(self):
        """The present cell to the present worker."""
        self.started, self.interrupts = False, 0
        self.nonce_before, self.nonce = self.nonce, os.urandom(NONCE_BYTES)
        self.worker.queue('commands', framing.pack(framing.RUN, self.cell, self.nonce + self.request))

    def interrupt(self):
        """Passes an interrupt on once there is something to interrupt: before, it would be lost."""
        if self.started and self.interrupted:
            self.interrupted = False
            self.interrupts += 1
            # It may wait for a child and hear nothing meanwhile, as in os.system(): the second one is for both.
            self.worker.signal(signal.SIGINT, to_group=self.interrupts == 2)

    # The worker.

    def start_worker(self):
        """A fresh worker."""
        self.worker = workers.Worker(self.options, lambda: self.tell(framing.READY, self.replacement))
        self.from_worker = framing.Frames(MOST_FROM_WORKER)
        self.watch_worker()

    def watch_worker(self):
        """Listens where something may come from, and not to one that has not taken its reply yet."""
        worker = self.worker
        wanted = {
            worker.stdout: (selectors.EVENT_READ, lambda _: self.on_output(framing.STDOUT, worker.stdout)),
            worker.stderr: (selectors.EVENT_READ, lambda _: self.on_output(framing.STDERR, worker.stderr)),
            worker.up: (0 if worker.owes_reply() else selectors.EVENT_READ, self.on_worker),
            worker.commands: (selectors.EVENT_WRITE if worker.waiting['commands'] else 0, self.on_room),
            worker.replies: (selectors.EVENT_WRITE if worker.waiting['replies'] else 0, self.on_room),
        }
        for descriptor, (events, callback) in wanted.items():
            registered = self.selector.get_map().get(descriptor)
            if events == 0 or descriptor in worker.ended:
                if registered is not None:
                    self.selector.unregister(descriptor)
            elif registered is None:
                self.selector.register(descriptor, events, callback)

    def on_room(self, _):
        """The worker takes more."""
        self.worker.push()
        self.watch_worker()

    def on_output(self, kind, descriptor):
        """What the code of the user wrote."""
        data = self.worker.read(descriptor, READ_BYTES)
        if data:
            self.tell(kind, self.cell, data)
        elif data == b'':
            self.watch_worker()

    def on_worker(self, _):
        """Frames of the worker, or of whoever found its channel: one without the nonce is dropped."""
        data = self.worker.read(self.worker.up, READ_BYTES * 16)
        if data:
            self.hear(data)
        self.watch_worker()

    def hear(self, data):
        """What came on its channel."""
        try:
            frames = self.from_worker.feed(data)
        except framing.Malformed:
            # From here on nothing can be told apart. Whoever wrote there has spoilt their own cell.
            self.worker.spoilt, self.request = True, None
            self.worker.signal(signal.SIGKILL)
            frames = []
        for kind, number, payload in frames:
            nonce = payload[:NONCE_BYTES]
            # A thread may call while the next cell is on its way; that one's nonce it cannot know yet.
            if nonce == self.nonce or (kind == framing.CALL and nonce == self.nonce_before):
                self.pass_on(kind, number, payload[NONCE_BYTES:])

    def pass_on(self, kind, number, payload):
        """A frame of the worker to the host."""
        if kind == framing.CALL:
            self.worker.ask(number, payload, self.tell_call)
        elif number == self.cell and kind == framing.STARTED:
            self.started, self.stillborn, self.request = True, 0, None
            self.interrupt()
        elif number == self.cell and self.cell != 0 and kind in (framing.DISPLAY, framing.DONE):
            if kind == framing.DONE:
                self.drain()
            self.tell(kind, number, payload)
            if kind == framing.DONE:
                self.cell = 0

    def drain(self):
        """What the cell has written lies in the pipes before it says that it is done; others may go on."""
        for kind, descriptor in ((framing.STDOUT, self.worker.stdout), (framing.STDERR, self.worker.stderr)):
            left = DRAIN_BYTES
            data = self.worker.read(descriptor, READ_BYTES)
            while data:
                self.tell(kind, self.cell, data)
                left -= len(data)
                data = self.worker.read(descriptor, READ_BYTES) if left > 0 else None

    def on_child(self, _):
        """Somebody has ended: the worker, or an orphan that came to us."""
        os.read(self.wake, 4096)
        if self.worker.reap() is None:
            return
        ended = self.worker
        for _ in range(MOST_LAST_READS):
            data = ended.read(ended.up, READ_BYTES * 16)
            if not data:
                break
            self.hear(data)
        self.drain()
        cell = 0 if self.request is not None else self.cell
        self.nonce_before = self.nonce = os.urandom(NONCE_BYTES)
        for descriptor in ended.descriptors():
            if descriptor in self.selector.get_map():
                self.selector.unregister(descriptor)
        ended.end()
        self.tell(framing.DIED, cell, framing.as_json(ended.how_it_ended()))
        self.stillborn += 0 if ended.condemned else 1
        if self.stillborn > MOST_STILLBORN:
            raise SystemExit('no worker lives long enough to run a cell')
        self.start_worker()
        if self.request is None:
            self.cell = 0
        else:
            self.give()
            self.watch_worker()


def watch_children():
    """A descriptor that becomes readable when a child has ended."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    return readable


def main(options):
    """Serves the host until it has gone."""
    if sys.version_info < (3, 8) or not hasattr(os, 'fork'):
        raise SystemExit('sessions need Python 3.8 or later, and a system that can fork')
    system.keep_private()
    load('worker')
    gc.collect()
    gc.freeze()
    Control(options).serve()
`,
  displays: `"""Values as MIME bundles: a text always, and whatever else the object can make of itself."""

import base64
import json
import sys

framing, failures = load('framing'), load('failures')

MOST_TEXT = 64 * 1024
MOST_BYTES = 8 * 1024 * 1024
MOST_OF_A_BUNDLE = 16 * 1024 * 1024
# As it travels: in JSON a control character is six times as long.
MOST_ENCODED = 32 * 1024 * 1024
# With the text and the picture that may come on top, as many as the host takes.
MOST_FORMS = 30
MOST_NAME = 100
MOST_OF_A_CELL = 100

METHODS = (
    ('_repr_html_', 'text/html'),
    ('_repr_markdown_', 'text/markdown'),
    ('_repr_latex_', 'text/latex'),
    ('_repr_svg_', 'image/svg+xml'),
    ('_repr_json_', 'application/json'),
    ('_repr_png_', 'image/png'),
    ('_repr_jpeg_', 'image/jpeg'),
    ('_repr_pdf_', 'application/pdf'),
)


class Displays:
    """What a cell shows besides what it prints."""

    def __init__(self, channel, figures):
        self.channel = channel
        self.figures = figures
        self.shown = 0

    def start(self):
        """A new cell has shown nothing yet."""
        self.shown = 0
        self.figures.start()

    def finish(self):
        """Figures that are still open are shown, once, and closed."""
        if self.channel.descriptor is not None:
            self.figures.finish(self)

    def display(self, *values):
        """Shows each value: as text, and as a picture, a table or a page where it can be one."""
        for value in values:
            self.shown += 1
            if self.shown <= MOST_OF_A_CELL:
                payload = framing.as_json(self.bundle(value))
                self.channel.send(framing.DISPLAY, self.channel.cell, payload)
            elif self.shown == MOST_OF_A_CELL + 1:
                print('only the first %d values of a cell are shown' % MOST_OF_A_CELL, file=sys.stderr)

    def bundle(self, value):
        """One value in all its forms, each within bounds."""
        data, metadata = forms_of(value)
        figure = self.figures.picture(value)
        if figure is not None:
            data['image/png'] = figure
        kept, omitted, left, left_encoded = {}, {}, MOST_OF_A_BUNDLE, MOST_ENCODED
        for mime, content in list(data.items())[:MOST_FORMS]:
            text = as_text(mime, content)
            if text is None or len(mime) > MOST_NAME:
                continue
            sent = content if isinstance(content, (bytes, bytearray)) else text.encode('utf-8', 'replace')
            size, encoded = len(sent), len(framing.as_json(text))
            if mime != 'text/plain' and (size > min(left, MOST_BYTES) or encoded > left_encoded):
                omitted[mime] = size
            else:
                left, left_encoded = left - size, left_encoded - encoded
                kept[mime] = text
        # It may have been the last of too many.
        kept.setdefault('text/plain', data['text/plain'])
        bundle = {'data': kept}
        if metadata:
            bundle['metadata'] = metadata
        if omitted:
            bundle['omitted'] = omitted
        return bundle


def forms_of(value):
    """Every form that the value can make, by MIME type, and what it says of them."""
    data, metadata = {}, {}
    # A class is shown as what it is; its methods are for its objects.
    if not isinstance(value, type):
        mixed = answer_of(value, '_repr_mimebundle_', include=None, exclude=None)
        if isinstance(mixed, tuple) and len(mixed) == 2:
            mixed, metadata = mixed
        if isinstance(mixed, dict):
            data.update((str(mime), content) for mime, content in mixed.items() if content is not None)
        for method, mime in METHODS:
            if mime not in data:
                answer = answer_of(value, method)
                if isinstance(answer, tuple) and len(answer) == 2:
                    answer, metadata[mime] = answer
                if answer is not None:
                    data[mime] = answer
    if not isinstance(data.get('text/plain'), str):
        data['text/plain'] = repr(value)
    data['text/plain'] = failures.clip(data['text/plain'], MOST_TEXT)
    return data, plain_metadata(metadata)


def plain_metadata(metadata):
    """What an object says of its forms, as far as it can be sent."""
    try:
        text = json.dumps(metadata, allow_nan=False)
        plain = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    is_small = isinstance(plain, dict) and len(plain) <= MOST_FORMS and len(text) <= MOST_TEXT
    return plain if is_small and all(len(key) <= MOST_NAME for key in plain) else {}


def answer_of(value, method, **arguments):
    """What the method gives; one that raises is told and costs only this form."""
    # Asked of the class: an object that answers to every name, as mocks do, has none of them.
    if not hasattr(type(value), method):
        return None
    try:
        return getattr(value, method)(**arguments)
    except Exception as error:
        print('%s of %s raised %r' % (method, failures.name_of(type(value)), error), file=sys.stderr)
        return None


def as_text(mime, content):
    """A form as text: bytes in Base64, data as JSON. None for what cannot be sent."""
    if isinstance(content, (bytes, bytearray)):
        return base64.b64encode(content).decode('ascii')
    if isinstance(content, str):
        return content
    try:
        return json.dumps(content, allow_nan=False) if mime.endswith('json') else None
    except (TypeError, ValueError, RecursionError):
        return None
`,
  failures: `"""An exception as plain data: frames of the code as written, none of ours, and the text Python prints."""

import reprlib
import traceback

MOST_FRAMES = 40
MOST_TEXT = 64 * 1024
MOST_MESSAGE = 16 * 1024
MOST_LOCALS = 20
MOST_CAUSES = 8
MOST_NAME = 1000
OURS = '<mendloop '

short = reprlib.Repr()
short.maxstring = short.maxother = short.maxlong = 200
short.maxlist = short.maxtuple = short.maxdict = short.maxset = 10


def report(error, with_locals, namespace):
    """What is told of a cell that an exception has ended."""
    return {'ok': False, 'error': describe(error, with_locals, namespace)}


def brief(kind):
    """What is told of a cell of whose end nothing but the type of the exception can be said."""
    name = str(kind.__name__)[:MOST_NAME]
    return {'ok': False, 'error': {'name': name, 'message': '', 'frames': [], 'traceback': name + '\\n'}}


def describe(error, with_locals, namespace, depth=0):
    """One exception, with what caused it."""
    told = {
        'name': name_of(type(error))[:MOST_NAME],
        'message': clip(safely(lambda: message_of(error)) or '', MOST_MESSAGE),
        'frames': frames_of(error, with_locals, namespace),
    }
    if depth == 0:
        told['traceback'] = clip(safely(lambda: text_of(error)) or told['name'] + '\\n', MOST_TEXT)
        told['outOfMemory'] = isinstance(error, MemoryError)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < MOST_CAUSES:
        told['cause'] = describe(cause, with_locals, namespace, depth + 1)
    return told


def name_of(kind):
    """As a traceback names it."""
    module = getattr(kind, '__module__', None)
    name = str(getattr(kind, '__qualname__', 'Exception'))
    return name if module in ('builtins', '__main__') else '%s.%s' % (module, name)


def message_of(error):
    """The text of the exception; of a syntax error without the place, which its frame says."""
    return str(error.msg) if isinstance(error, SyntaxError) else str(error)


def text_of(error):
    """What Python would print, without frames of ours."""
    printed = traceback.TracebackException(type(error), error, error.__traceback__)
    hide_ours(printed, set())
    return ''.join(printed.format())


def hide_ours(printed, seen):
    """In the exception and all that hang on it."""
    if printed is None or id(printed) in seen:
        return
    seen.add(id(printed))
    kept = [frame for frame in printed.stack if not frame.filename.startswith(OURS)]
    printed.stack = traceback.StackSummary.from_list(kept)
    for other in (printed.__cause__, printed.__context__, *(getattr(printed, 'exceptions', None) or ())):
        hide_ours(other, seen)


def frames_of(error, with_locals, namespace):
    """From the outermost to the one that raised; of very many, the middle is left out."""
    walked = [one for one in traceback.walk_tb(error.__traceback__) if not is_ours(one[0])]
    if len(walked) > MOST_FRAMES:
        walked = walked[: MOST_FRAMES // 4] + walked[-(MOST_FRAMES * 3 // 4) :]
    summary = traceback.StackSummary.extract(iter(walked), lookup_lines=False)
    told = []
    for (frame, _), entry in zip(walked, summary):
        path, name = entry.filename[:MOST_NAME], entry.name[:MOST_NAME]
        one = {'path': path, 'line': entry.lineno or 0, 'function': name}
        one['source'] = clip(safely(lambda entry=entry: entry.line) or '', 500)
        if with_locals:
            one['locals'] = locals_of(frame, namespace)
        told.append(one)
    if isinstance(error, SyntaxError) and error.filename is not None:
        # Whoever raises one by hand may have put anything there.
        source = clip((error.text if isinstance(error.text, str) else '').strip(), 500)
        path = (safely(lambda: str(error.filename)) or '')[:MOST_NAME]
        line = error.lineno if isinstance(error.lineno, int) else 0
        told.append({'path': path, 'line': min(max(0, line), 1 << 31), 'function': '', 'source': source})
    return told


def is_ours(frame):
    """A frame of the session's own programs."""
    return frame.f_code.co_filename.startswith(OURS)


def locals_of(frame, namespace):
    """The values near the mistake, each short; of the session's own those that this code speaks of."""
    at_top = frame.f_locals is namespace or frame.f_globals is frame.f_locals
    names = [name for name in frame.f_code.co_names if name in namespace] if at_top else list(frame.f_locals)
    values = {}
    for name in names:
        value = frame.f_locals.get(name)
        if not name.startswith('__') and not isinstance(value, type(traceback)) and len(values) < MOST_LOCALS:
            values[name[:100]] = clip(safely(lambda value=value: short.repr(value)) or '<no repr>', 400)
    return values


def safely(make):
    """What code of the user makes of itself, or None: it may raise anything."""
    try:
        return make()
    except Exception:
        return None


def clip(text, most):
    """The head and the tail of a text that is too long."""
    if len(text) <= most:
        return text
    left_out = len(text) - most
    return '%s\\n… %d characters left out …\\n%s' % (text[: most // 2], left_out, text[-(most - most // 2) :])
`,
  figures: `"""Figures of matplotlib without a display: show() shows them to the session and returns."""

import io
import os
import sys
import weakref

# Not by id(): one that is gone may give it to the next.
shown = weakref.WeakSet()


def prepare(displays):
    """Before matplotlib is imported: no display is looked for, and show() is ours as soon as it is there."""
    os.environ['MPLBACKEND'] = 'Agg'
    load('imports').when_loaded('matplotlib.pyplot', lambda pyplot: take_over(pyplot, displays))


def take_over(pyplot, displays):
    """Puts our show() into a freshly imported pyplot."""

    def show(*_, **__):
        """Shows every open figure to the session, and closes it."""
        show_open(pyplot, displays)

    pyplot.show = show


def start():
    """A new cell has shown no figure yet."""
    shown.clear()


def finish(displays):
    """Shows what the cell has left open."""
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is not None:
        show_open(pyplot, displays)


def show_open(pyplot, displays):
    """Every open figure that this cell has not shown yet; all are closed."""
    try:
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            if figure not in shown:
                displays.display(figure)
    finally:
        pyplot.close('all')


def picture(value):
    """The figure as PNG, or None for what is no figure."""
    module = sys.modules.get('matplotlib.figure')
    if module is None or not isinstance(value, module.Figure):
        return None
    shown.add(value)
    buffer = io.BytesIO()
    value.savefig(buffer, format='png', bbox_inches='tight')
    return buffer.getvalue()
`,
  framing: `"""Frames between the host, the control process and the worker: length of what follows, type, id, payload."""

import json
import os
import struct

HEAD = struct.Struct('<IBI')
MOST_BYTES = 64 * 1024 * 1024
MAGIC = b'\\x00MENDLOOP-RUN-1\\n'

# Down: from the host to the control process, and on to the worker.
RUN, INTERRUPT, REPLACE, REPLY = 1, 2, 3, 4
# Up. STARTED goes no further than the control process: from then on an interrupt reaches the cell.
HELLO, READY, STDOUT, STDERR, DISPLAY, DONE, DIED, CALL = 16, 17, 18, 19, 20, 21, 22, 23
STARTED = 24


class Malformed(Exception):
    """What came is no frame."""


def pack(kind, number, payload=b''):
    """One frame as bytes."""
    return HEAD.pack(5 + len(payload), kind, number) + payload


def as_json(value):
    """A value as JSON in bytes; ASCII, so that nothing in a text can fail to be encoded."""
    return json.dumps(value, separators=(',', ':')).encode('ascii')


def write_all(descriptor, data):
    """Writes all of it, however little the system takes at once."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Frames:
    """Takes bytes as they come and gives the frames that are complete."""

    def __init__(self, most=MOST_BYTES):
        self.waiting = bytearray()
        self.most = most

    def feed(self, data):
        """Every frame that \`data\` completes."""
        self.waiting += data
        start, frames = 0, []
        while len(self.waiting) - start >= HEAD.size:
            length, kind, number = HEAD.unpack_from(self.waiting, start)
            if not 5 <= length <= self.most:
                raise Malformed('a frame of %d bytes' % length)
            end = start + 4 + length
            if len(self.waiting) < end:
                break
            frames.append((kind, number, bytes(self.waiting[start + HEAD.size : end])))
            start = end
        del self.waiting[:start]
        return frames
`,
  host_calls: `"""\`host.call(name, …)\`: asks the application outside for something, as far as it allows."""

import base64
import builtins
import json
import os
import select
import threading

framing = load('framing')

MOST_BYTES = 16 * 1024 * 1024
#: Numbers of the application are floating-point: beyond, not every integer is one.
MOST_INTEGER = 2**53 - 1


class HostError(Exception):
    """The application refused, or could not answer. \`code\` says why in one word."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


HostError.__module__ = 'builtins'


class Host:
    """The functions that the application lets this code call."""

    def __init__(self, channel, interrupts, replies, names):
        self._channel, self._interrupts, self._replies = channel, interrupts, replies
        self._names = tuple(names)
        self._lock = threading.Lock()
        self._frames = framing.Frames()
        self._last = 0

    def names(self):
        """The names that can be called."""
        return list(self._names)

    def call(self, name, args=None):
        """Calls one of them with plain data (bytes too) and gives its answer. @raises HostError"""
        try:
            payload = framing.as_json({'name': str(name), 'args': to_plain(args)})
        except (TypeError, ValueError, RecursionError) as error:
            problem = 'the arguments of %s are no plain data: %s' % (name, error)
            raise HostError('invalid-input', problem) from None
        if len(payload) > MOST_BYTES:
            raise HostError('too-large', 'the arguments of %s are %d bytes long' % (name, len(payload)))
        # One at a time: whoever comes meanwhile, waits.
        with self._lock:
            self._last = self._last % 0xFFFFFFFF + 1
            self._channel.send(framing.CALL, self._last, payload)
            answer = self._answer(self._last)
        if 'error' in answer:
            raise HostError(answer['error']['code'], answer['error']['message'])
        return from_plain(answer.get('value'))

    def _answer(self, number):
        """Waits for the answer with this number; an older one, which nobody read, is dropped."""
        while True:
            select.select([self._replies], [], [])
            with self._interrupts.held():
                data = os.read(self._replies, 1 << 20)
                found = [payload for kind, which, payload in self._frames.feed(data) if which == number]
            if found:
                return json.loads(found[0].decode('utf-8'))
            if not data:
                raise HostError('closed', 'the session has ended')

    def __repr__(self):
        return 'host(%s)' % ', '.join(self._names)


def to_plain(value):
    """JSON has no bytes: they travel in Base64 under a key of their own."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {'$bytes': base64.b64encode(bytes(value)).decode('ascii')}
    if isinstance(value, dict):
        plain = {key_of(key): to_plain(item) for key, item in value.items()}
        return {'$plain': plain} if any(key.startswith('$') for key in plain) else plain
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float('inf'), float('-inf'))):
        raise ValueError('%r is no number that JSON has' % value)
    if isinstance(value, int) and abs(value) > MOST_INTEGER:
        raise ValueError('%d is too large a number to arrive as it is; send it as a text' % value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if callable(getattr(value, 'tolist', None)):
        return to_plain(value.tolist())  # numpy's arrays and numbers
    raise TypeError('an object of type %s cannot be sent' % type(value).__name__)


def key_of(key):
    """JSON's keys are texts."""
    if isinstance(key, str):
        return key
    raise TypeError('the key %r is no text' % (key,))


def from_plain(value):
    """The way back."""
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {'$bytes'}:
        return base64.b64decode(value['$bytes'])
    if set(value) == {'$plain'}:
        value = value['$plain']
    return {key: from_plain(item) for key, item in value.items()}


def prepare(channel, interrupts, replies, names):
    """Makes \`host\` and \`HostError\` known to every cell."""
    builtins.host = Host(channel, interrupts, replies, names)
    builtins.HostError = HostError
`,
  imports: `"""Imports of a session: modules of the workspace are found, and read again when their file has changed."""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys

#: Modules of the workspace, with their file and what it was like before it was read.
read = {}
#: What is done once a module has been loaded.
waiting = {}
workspace = ['']


class Finder(importlib.abc.MetaPathFinder):
    """Finds what Python finds, and looks at it on the way."""

    def find_spec(self, name, path=None, target=None):
        """As for every finder."""
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None:
            return None
        if spec.origin is not None and is_within(spec.origin):
            read[name] = (spec.origin, state_of(spec.origin))
        if name in waiting and spec.loader is not None:
            spec.loader = Afterwards(spec.loader, waiting[name])
        return spec


class Afterwards(importlib.abc.Loader):
    """Loads as another does, and then does something with the module."""

    def __init__(self, loader, action):
        self.loader, self.action = loader, action

    def create_module(self, spec):
        """As the other."""
        return self.loader.create_module(spec)

    def exec_module(self, module):
        """As the other; from then on the module has its own loader again."""
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.action(module)

    def __getattr__(self, name):
        return getattr(self.loader, name)


def prepare(folder):
    """The workspace comes first on the path, as the folder of a script does."""
    workspace[0] = os.path.join(os.path.realpath(folder), '')
    # -I leaves out what the caller has put into the environment.
    extra = [entry for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep) if entry]
    sys.path[:0] = [folder, *extra]
    # In front of Python's own finder of files, behind those of built-in and frozen modules.
    finders = [finder is importlib.machinery.PathFinder for finder in sys.meta_path]
    sys.meta_path.insert(finders.index(True) if True in finders else len(finders), Finder())


def when_loaded(name, action):
    """Calls \`action\` with the module once it has been imported."""
    waiting[name] = action


def drop_changed():
    """Forgets the workspace's modules when one has changed: others may hold what they took from it."""
    importlib.invalidate_caches()
    if all(state_of(path) == state for path, state in read.values()):
        return
    for name in list(read):
        sys.modules.pop(name, None)
    read.clear()


def is_within(path):
    """The file lies in the workspace, and is not a package that was installed into it."""
    path = os.path.realpath(path)
    return path.startswith(workspace[0]) and 'site-packages' not in path


def state_of(path):
    """Differs when the file does."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)
`,
  interrupts: `"""An interrupt reaches a cell and nothing else: not what runs between two, not half a frame."""

import contextlib
import signal
import threading


class Interrupts:
    """SIGINT as KeyboardInterrupt, while a cell runs."""

    def __init__(self):
        self.running = False
        self.holds = 0
        self.pending = False
        #: This cell has been interrupted. One that goes on all the same is replaced, not asked again.
        self.raised = False
        signal.signal(signal.SIGINT, self.on_signal)

    def on_signal(self, *_):
        """Python calls it in the main thread, between two of its instructions."""
        if not self.running or self.raised:
            return
        if self.holds:
            self.pending = True
        else:
            self.raised = True
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def allowed(self):
        """Within, an interrupt is raised. One that falls just outside the cell's own code ends here."""
        # An earlier cell may have put a handler of its own there.
        signal.signal(signal.SIGINT, self.on_signal)
        self.pending = self.raised = False
        try:
            try:
                self.running = True
                yield
            finally:
                self.running = False
        except KeyboardInterrupt:
            self.running = False

    @contextlib.contextmanager
    def held(self):
        """Within, an interrupt waits. Other threads are never interrupted: nothing is held for them."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self.holds += 1
        try:
            yield
        finally:
            self.holds -= 1
        if self.pending and self.holds == 0:
            self.pending, self.raised = False, True
            raise KeyboardInterrupt
`,
  node_bootstrap: `// The whole of the command line of a Node session's processes: reads the session's programs, and starts one of them.
import { readSync } from 'node:fs'

const descriptor = Number(process.argv[1] ?? 0)

/** The first frame of the descriptor, never a byte more: what follows is the program's to read. */
function take() {
  const exactly = (count) => {
    const bytes = Buffer.alloc(count)
    for (let read = 0; read < count; ) {
      try {
        const got = readSync(descriptor, bytes, read, count - read, null)
        if (got === 0) throw new Error('the input of the session ended early')
        read += got
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      }
    }
    return bytes
  }
  return JSON.parse(exactly(exactly(4).readUInt32BE()).toString('utf8'))
}

const { programs, options, entry = 'node_control' } = take()
const addresses = new Map()

/** A program as an address that can be imported; so are those that it imports itself. */
function addressOf(name) {
  if (!addresses.has(name)) {
    const text = programs[name].replace(/'\\.\\/(\\w+)\\.mjs'/g, (_, other) => \`'\${addressOf(other)}'\`)
    addresses.set(name, \`data:text/javascript;base64,\${Buffer.from(text).toString('base64')}\`)
  }
  return addresses.get(name)
}

const { main } = await import(addressOf(entry))
// Imports made here are resolved from the working directory, which is the workspace.
main({ options, programs, importHere: (specifier) => import(specifier) })
`,
  node_cells: `// Runs one cell the way a debugger's console does: names may be declared again, \`await\` stands anywhere, and the value
// of the last expression is known.
import { statSync } from 'node:fs'
import inspector from 'node:inspector'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { CellExit, describe, noteUncaught } from './node_failures.mjs'
import { rewriteImports } from './node_imports.mjs'

const MOST_NAMES = 200
const NOTHING = new Int32Array(new SharedArrayBuffer(4))
const LATE_INTERRUPT_MS = 20

/** What an interrupted cell ends with. */
class Interrupted extends Error {
  // Where it was noticed says nothing of the cell.
  stack = 'Interrupted: the cell was interrupted'
}
Interrupted.prototype.name = 'Interrupted'

/** The cells of one session. */
export class Cells {
  #session = new inspector.Session()
  #displays
  #workspace
  #sources = new Map()
  #modules = new Map()
  #globals
  #running
  #taken
  #takerId

  constructor({ workspace, displays, importHere, hidden }) {
    this.#workspace = workspace
    this.#displays = displays
    this.#session.connect()
    Error.stackTraceLimit = 40
    const require = createRequire(join(workspace, 'cell.js'))
    hidden('require', require)
    hidden('__sessionImport', (specifier) => importHere(this.#locate(String(specifier))))
    hidden('__sessionMeta', { url: pathToFileURL(join(workspace, 'cell.js')).href, dirname: workspace })
    this.#require = require
    process.exit = (code = process.exitCode ?? 0) => {
      throw new CellExit(Number(code) & 255)
    }
    process.on('SIGINT', () => this.#running?.reject(new Interrupted('the cell was interrupted')))
    process.on('uncaughtException', (error) => this.#uncaught(error))
    process.on('unhandledRejection', (error) => this.#uncaught(error))
    this.#globals = new Set(Object.getOwnPropertyNames(globalThis))
    this.#prepareTaker()
  }

  #require

  /** Runs \`code\` as the file \`file\`. @returns what became of it, as plain data */
  async run({ code, file }) {
    this.#dropChanged()
    const url = file.replace(/\\s/g, '-')
    this.#sources.set(url, { file, lines: code.split(/\\r\\n|[\\n\\r\\u2028\\u2029]/) })
    let report = { ok: true }
    try {
      const value = await this.#execute(\`\${rewriteImports(code)}\\n//# sourceURL=\${url}\`, url)
      if (value !== undefined) report.value = this.#displays.bundle(value)
    } catch (error) {
      report =
        error instanceof CellExit
          ? { ok: error.code === 0, exit: error.code }
          : { ok: false, error: describe(error, this.#sources) }
    }
    this.#running = undefined
    if (report.ok && process.exitCode) report = { ...report, ok: false, exit: Number(process.exitCode) & 255 }
    process.exitCode = undefined
    this.#rememberModules()
    return { ...report, names: await this.#names() }
  }

  /**
   * Node's watchdog keeps an interrupt that comes while a cell ends, and would end the next one with it. It is woken
   * by a cell of ours that does nothing for a while.
   */
  takeLateInterrupt() {
    start = () => Atomics.wait(NOTHING, 0, 0, LATE_INTERRUPT_MS)
    try {
      starter.runInThisContext({ breakOnSigint: true })
    } catch {
      // Here it was.
    }
  }

  /** Runs it to its end, an awaited promise included. An interrupt ends the waiting, or the running. */
  #execute(expression, url) {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject }
      const settle = (error, answer) => {
        if (error) return giveUp(error)
        const { result, exceptionDetails } = answer
        const value = this.#fetch(exceptionDetails?.exception ?? result)
        if (exceptionDetails === undefined) resolve(value)
        else reject(located(value, exceptionDetails, url, this.#sources.get(url)?.lines.length))
      }
      start = () =>
        this.#session.post('Runtime.evaluate', { expression, replMode: true, awaitPromise: true }, settle)
      try {
        // Only so can a signal end code that never waits.
        starter.runInThisContext({ breakOnSigint: true })
      } catch {
        reject(new Interrupted('the cell was interrupted'))
      }
    }).then((value) => (value instanceof Promise ? this.#awaited(value) : value))
  }

  /** A promise as the last value is waited for: what it does belongs to this cell. */
  #awaited(promise) {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject }
      promise.then(resolve, reject)
    })
  }

  /** The debugger speaks of objects by number; a function of ours gets the object itself. */
  #prepareTaker() {
    globalThis.__sessionTake = (value) => {
      this.#taken = value
    }
    this.#session.post('Runtime.evaluate', { expression: '__sessionTake' }, (_, answer) => {
      this.#takerId = answer.result.objectId
    })
    delete globalThis.__sessionTake
  }

  #fetch(remote) {
    this.#taken = undefined
    if (remote.objectId === undefined) return primitive(remote)
    const call = { objectId: this.#takerId, functionDeclaration: 'function (value) { this(value) }' }
    this.#session.post('Runtime.callFunctionOn', { ...call, arguments: [{ objectId: remote.objectId }] })
    this.#session.post('Runtime.releaseObject', { objectId: remote.objectId })
    return this.#taken
  }

  #uncaught(error) {
    if (error instanceof CellExit) this.#running?.reject(error)
    else noteUncaught(error, this.#sources)
  }

  /** What the cells have defined so far. */
  async #names() {
    const declared = await new Promise((resolve) =>
      this.#session.post('Runtime.globalLexicalScopeNames', {}, (error, answer) =>
        error ? giveUp(error) : resolve(answer.names),
      ),
    )
    const own = Object.getOwnPropertyNames(globalThis).filter((name) => !this.#globals.has(name))
    return [...new Set([...declared, ...own])]
      .map((name) => name.slice(0, 100))
      .sort()
      .slice(0, MOST_NAMES)
  }

  /** A file of the workspace by its state as well, so that one that has changed is read again. */
  #locate(specifier) {
    if (!/^\\.{0,2}\\//.test(specifier)) return specifier
    const url = new URL(specifier, pathToFileURL(join(this.#workspace, '/')))
    const state = stateOf(url)
    return state === undefined ? url.href : \`\${url.href}?\${state}\`
  }

  #rememberModules() {
    for (const path of Object.keys(this.#require.cache))
      if (path.startsWith(this.#workspace) && !path.includes('node_modules') && !this.#modules.has(path))
        this.#modules.set(path, stateOf(path))
  }

  /** Forgets the workspace's modules when the file of one has changed: others may hold what they took from it. */
  #dropChanged() {
    if ([...this.#modules].every(([path, state]) => stateOf(path) === state)) return
    for (const path of this.#modules.keys()) delete this.#require.cache[path]
    this.#modules.clear()
  }
}

let start = () => undefined
globalThis.__sessionStart = () => start()
const starter = new Script('__sessionStart()')
Object.defineProperty(globalThis, '__sessionStart', { enumerable: false })

/**
 * An interrupt that comes while the debugger itself is at work costs it its context, and with it every later cell:
 * better to end, which is told, than to go on as if variables were still there.
 */
function giveUp(error) {
  process.stderr.write(\`an interrupt has broken the session: \${error.message}\\n\`)
  process.kill(process.pid, 'SIGKILL')
}

function primitive({ type, value, unserializableValue }) {
  if (unserializableValue === undefined) return value
  return type === 'bigint' ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue)
}

/** A syntax error says where it is only to the debugger. */
function located(error, { lineNumber }, url, lines) {
  if (error instanceof SyntaxError && !String(error.stack).includes(\`\${url}:\`))
    Object.defineProperty(error, 'cellPlace', {
      value: { url, line: Math.min(lineNumber + 1, lines) },
      enumerable: false,
    })
  return error
}

function stateOf(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : \`\${found.mtimeMs}-\${found.size}-\${found.ino}\`
}
`,
  node_control: `// The control process: alone holds the session's descriptors, passes frames on, and replaces the worker, in which the
// code of the user runs, when it has died or does not let itself be interrupted.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import * as framing from './node_framing.mjs'
import { writeAll } from './node_streams.mjs'

const MOST_FROM_WORKER = 63 * 1024 * 1024
const MOST_STILLBORN = 10
const DRAIN_BYTES = 4 * 1024 * 1024

/** Serves the host until it has gone. */
export function main({ options, programs }) {
  process.on('SIGINT', () => undefined)
  let cell = 0
  /** Of the present cell: it runs; it is to be interrupted; how often it has been. */
  let isStarted = false
  let isInterrupted = false
  let interrupts = 0
  /** What a worker has still to begin: if it dies before, its successor gets it. */
  let request
  let nonce = randomBytes(framing.NONCE_BYTES)
  let nonceBefore = nonce
  /** Number of the last replacement that the host asked for. */
  let replacement = 0
  /** Workers in a row that have ended by themselves before they ran a cell. */
  let stillborn = 0
  let worker = startWorker()
  tell(framing.HELLO, 0, framing.asJson(hello()), framing.MAGIC)
  tell(framing.READY, 0)

  const fromHost = framing.frameReader()
  process.stdin.on('data', (chunk) => {
    for (const { type, id, payload } of fromHost(chunk)) {
      if (type === framing.RUN) {
        cell = id
        request = payload
        isInterrupted = false
        give()
      } else if (type === framing.INTERRUPT && id === cell) {
        isInterrupted = true
        interrupt()
      } else if (type === framing.REPLACE) {
        replacement = id
        // Whatever it has not begun is over, too.
        request = undefined
        worker.offspring = descendants(worker.child.pid)
        worker.child.kill('SIGKILL')
      } else if (type === framing.REPLY) answer(id, payload)
    }
  })
  process.stdin.on('end', leave).on('error', leave)

  /** The present cell to the present worker. */
  function give() {
    isStarted = false
    const wasInterrupted = Buffer.from([interrupts > 0 ? 1 : 0])
    interrupts = 0
    nonceBefore = nonce
    nonce = randomBytes(framing.NONCE_BYTES)
    worker.commands.write(framing.pack(framing.RUN, cell, Buffer.concat([nonce, wasInterrupted, request])))
  }

  /** Passes an interrupt on once there is something to interrupt: before, it would be lost. */
  function interrupt() {
    if (!isStarted || !isInterrupted) return
    isInterrupted = false
    // It may wait for a child and hear nothing meanwhile, as in execSync(): the second one is for both.
    if (++interrupts === 2) signalGroup(worker, 'SIGINT')
    else worker.child.kill('SIGINT')
  }

  /** The host has gone: nobody stays behind. */
  function leave() {
    worker.offspring = descendants(worker.child.pid)
    end(worker)
    process.exit(0)
  }

  function startWorker() {
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--input-type=module', '-e', programs.node_bootstrap, '3'],
      {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
        detached: true,
      },
    )
    const [, stdout, stderr, commands, up, replies] = child.stdio
    const started = {
      child,
      stdout,
      stderr,
      commands,
      up,
      replies,
      call: 0,
      nextCall: undefined,
      bytes: 0,
      isSpoilt: false,
      /** Processes that it had started when its end was asked for; absent: nobody has. */
      offspring: undefined,
    }
    // One that has just died is told by its end.
    for (const stream of child.stdio) stream?.on('error', () => undefined)
    child.on('error', leave)
    stdout.on('data', (chunk) => output(started, framing.STDOUT, chunk))
    stderr.on('data', (chunk) => output(started, framing.STDERR, chunk))
    const fromWorker = framing.frameReader(MOST_FROM_WORKER)
    up.on('data', (chunk) => {
      started.bytes += chunk.length
      try {
        for (const frame of fromWorker(chunk)) void hear(started, frame)
      } catch {
        // From here on nothing can be told apart. Whoever wrote there has spoilt their own cell, and no other.
        started.isSpoilt = true
        request = undefined
        child.kill('SIGKILL')
      }
    })
    child.on('exit', (code, signal) => void replace(started, code, signal))
    const setup = framing.asJson({ programs, options, entry: 'node_worker' })
    const head = Buffer.alloc(4)
    head.writeUInt32BE(setup.length)
    commands.write(Buffer.concat([head, setup]))
    return started
  }

  /** What the code of the user wrote. */
  function output(from, type, chunk) {
    from.bytes += chunk.length
    tell(type, from === worker ? cell : 0, chunk)
  }

  /** A frame of the worker, or of somebody who has found its channel: one without the cell's nonce is dropped. */
  async function hear(from, { type, id, payload }) {
    if (from !== worker) return
    const given = payload.subarray(0, framing.NONCE_BYTES)
    // A timer may call while the next cell is on its way; that one's nonce it cannot know yet.
    if (!given.equals(nonce) && !(type === framing.CALL && given.equals(nonceBefore))) return
    const rest = payload.subarray(framing.NONCE_BYTES)
    if (type === framing.CALL) {
      // Whoever made the call that is not answered yet has been interrupted, and no longer waits.
      if (from.call === 0) ask(from, id, rest)
      else from.nextCall = { id, rest }
    } else if (id === cell && type === framing.STARTED) {
      isStarted = true
      request = undefined
      stillborn = 0
      interrupt()
    } else if (id === cell && cell !== 0 && type === framing.DISPLAY) tell(type, id, rest)
    else if (id === cell && cell !== 0 && type === framing.DONE) {
      const ended = cell
      await drain(from)
      if (cell !== ended || from !== worker) return
      tell(type, id, rest)
      cell = 0
    }
  }

  function answer(id, payload) {
    if (id !== worker.call) return
    worker.call = 0
    const next = worker.nextCall
    worker.nextCall = undefined
    if (next !== undefined) ask(worker, next.id, next.rest)
    // Whoever does not take its answers is given no more to ask for.
    worker.up.pause()
    worker.replies.write(framing.pack(framing.REPLY, id, payload), () => worker.up.resume())
  }

  function ask(from, id, payload) {
    from.call = id
    tell(framing.CALL, id, payload)
  }

  async function replace(ended, code, signal) {
    await drain(ended)
    const ran = request === undefined ? cell : 0
    nonce = nonceBefore = randomBytes(framing.NONCE_BYTES)
    end(ended)
    const how = signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }
    tell(framing.DIED, ran, framing.asJson(ended.isSpoilt ? { kind: 'spoilt' } : how))
    if (ended.offspring === undefined && ++stillborn > MOST_STILLBORN) {
      process.stderr.write('no worker lives long enough to run a cell\\n')
      process.exit(1)
    }
    worker = startWorker()
    tell(framing.READY, replacement)
    if (request === undefined) cell = 0
    else give()
  }
}

/** What a cell has written lies in the pipes before it says that it is done: reads until a whole round brings nothing. */
async function drain(worker) {
  const most = worker.bytes + DRAIN_BYTES
  for (let before = -1; before !== worker.bytes && worker.bytes < most; ) {
    before = worker.bytes
    // The second turn has been to the pipes in between.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Ends a worker with all that is still in its group. */
function end(worker) {
  signalGroup(worker, 'SIGKILL')
  for (const pid of worker.offspring ?? []) send(pid, 'SIGKILL')
  for (const stream of worker.child.stdio) stream?.destroy()
}

/** All that a process has started and that still hangs on it, where the system lists that; groups do not matter. */
function descendants(pid) {
  try {
    const tasks = readdirSync(\`/proc/\${pid}/task\`)
    const own = tasks.flatMap((task) => readFileSync(\`/proc/\${pid}/task/\${task}/children\`, 'utf8').split(' '))
    return own.filter(Boolean).flatMap((child) => [Number(child), ...descendants(child)])
  } catch {
    return []
  }
}

const signalGroup = (worker, signal) => send(-worker.child.pid, signal)

function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // Nobody was left.
  }
}

/** One frame to the host. */
function tell(type, id, payload = Buffer.alloc(0), before = Buffer.alloc(0)) {
  try {
    writeAll(1, Buffer.concat([before, framing.pack(type, id, payload)]))
  } catch {
    process.exit(0)
  }
}

const hello = () => ({
  protocol: 1,
  language: 'javascript',
  version: process.versions.node,
  executable: process.execPath,
})
`,
  node_displays: `// Values as MIME bundles: a text always, and whatever else the object can make of itself.
import { inspect } from 'node:util'
import { clip } from './node_failures.mjs'

const MOST_TEXT = 64 * 1024
const MOST_BYTES = 8 * 1024 * 1024
const MOST_OF_A_BUNDLE = 16 * 1024 * 1024
// As it travels: in JSON a control character is six times as long.
const MOST_ENCODED = 32 * 1024 * 1024
// With the text, as many as the host takes.
const MOST_FORMS = 30
const MOST_NAME = 200
const MOST_OF_A_CELL = 100
/** Objects of notebooks for JavaScript answer to this. */
const METHOD = Symbol.for('Jupyter.display')

/** What a cell shows besides what it prints. */
export class Displays {
  #send
  #shown = 0

  constructor(send) {
    this.#send = send
    /** \`display(value, …)\`; \`display.mime({ 'text/html': '…' })\` for one whose forms are known. */
    this.display = (...values) => {
      for (const value of values) this.#show(this.bundle(value))
    }
    this.display.mime = (forms) => this.#show(within(forms))
  }

  /** A new cell has shown nothing yet. */
  start() {
    this.#shown = 0
  }

  /** One value in all its forms. */
  bundle(value) {
    return within({ 'text/plain': text(value), ...formsOf(value) })
  }

  #show(bundle) {
    this.#shown++
    if (this.#shown <= MOST_OF_A_CELL) this.#send(bundle)
    else if (this.#shown === MOST_OF_A_CELL + 1)
      process.stderr.write(\`only the first \${MOST_OF_A_CELL} values of a cell are shown\\n\`)
  }
}

function text(value) {
  try {
    return inspect(value, { maxStringLength: MOST_TEXT })
  } catch {
    return '<cannot be shown>'
  }
}

function formsOf(value) {
  if (value instanceof Uint8Array) return pictureOf(value)
  if (typeof value !== 'object' || value === null || typeof value[METHOD] !== 'function') return {}
  try {
    return value[METHOD]() ?? {}
  } catch (error) {
    process.stderr.write(\`Symbol.for('Jupyter.display') of \${text(value)} threw \${text(error)}\\n\`)
    return {}
  }
}

/** Bytes that begin as a picture does. */
function pictureOf(bytes) {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('latin1')
  if (head === '\\x89PNG\\r\\n\\x1a\\n') return { 'image/png': bytes }
  return head.startsWith('\\xff\\xd8\\xff') ? { 'image/jpeg': bytes } : {}
}

/** Each form as text, within bounds: bytes in Base64, data as JSON. */
function within(forms) {
  const data = {}
  const omitted = {}
  let left = MOST_OF_A_BUNDLE
  let leftEncoded = MOST_ENCODED
  for (const [mime, content] of Object.entries(forms).slice(0, MOST_FORMS)) {
    const form = asText(content)
    if (form === undefined || mime === 'text/plain' || mime.length > MOST_NAME) continue
    const size = content instanceof Uint8Array ? content.length : Buffer.byteLength(form)
    const encoded = Math.min(left, MOST_BYTES) < size ? 0 : JSON.stringify(form).length
    if (size > Math.min(left, MOST_BYTES) || encoded > leftEncoded) omitted[mime] = size
    else {
      left -= size
      leftEncoded -= encoded
      data[mime] = form
    }
  }
  const plain = asText(forms['text/plain']) ?? \`<\${Object.keys(data).join(', ') || 'nothing'}>\`
  return {
    data: { 'text/plain': clip(plain, MOST_TEXT), ...data },
    ...(Object.keys(omitted).length > 0 && { omitted }),
  }
}

function asText(content) {
  if (content instanceof Uint8Array) return Buffer.from(content).toString('base64')
  try {
    return typeof content === 'string' ? content : JSON.stringify(content)
  } catch {
    return undefined
  }
}
`,
  node_failures: `// An exception as plain data: frames of the code as written, none of ours, and the text that Node would print.
import { inspect } from 'node:util'

const MOST_FRAMES = 40
const MOST_TEXT = 64 * 1024
const MOST_CAUSES = 8
// Below the first of these stands how a cell is run, which is nobody's business.
const OURS = /node:inspector|data:text\\/javascript|node:internal\\/process\\/task_queues/

/** What \`process.exit()\` throws in a cell: it ends the cell, and not the session. */
export class CellExit extends Error {
  constructor(code) {
    super(\`the cell ended with exit code \${code}\`)
    this.code = code
  }
}

/** One exception, with what caused it. */
export function describe(error, sources, depth = 0) {
  const isError = error instanceof Error
  const told = {
    name: isError ? clip(String(error.name), 1000) : 'Uncaught',
    message: clip(isError ? String(error.message) : shown(error), 16 * 1024),
    frames: isError ? framesOf(error, sources) : [],
  }
  if (depth === 0) told.traceback = clip(\`\${tracebackOf(error, sources)}\\n\`, MOST_TEXT)
  const cause = isError ? error.cause : undefined
  if (cause instanceof Error && depth < MOST_CAUSES) told.cause = describe(cause, sources, depth + 1)
  return told
}

/** An error that nobody waits for is told on standard error; the session goes on. */
export function noteUncaught(error, sources) {
  process.stderr.write(\`Uncaught \${clip(tracebackOf(error, sources), MOST_TEXT)}\\n\`)
}

function tracebackOf(error, sources) {
  const place = error?.cellPlace
  const at = place && sources.get(place.url)
  const where = at === undefined ? '' : \`\${at.file}:\${place.line}\\n\${at.lines[place.line - 1] ?? ''}\\n\\n\`
  return \`\${where}\${named(printed(error), sources)}\`
}

/** As Node prints it, cause by cause, but each stack without what is ours. */
function printed(error, depth = 0) {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return shown(error)
  const { cause, ...rest } = error
  const extra = Object.keys(rest).length > 0 ? \` \${shown(rest)}\` : ''
  const below = cause !== undefined && depth < MOST_CAUSES ? \`\\n[cause]: \${printed(cause, depth + 1)}\` : ''
  return \`\${withoutOurs(error.stack)}\${extra}\${below}\`
}

/** Frames of ours on top, as of \`host.call\`, and from where it is ours again all that is below. */
function withoutOurs(text) {
  let hasTheirs = false
  let isBelow = false
  return text
    .split('\\n')
    .filter((line) => {
      if (!/^\\s+at /.test(line)) return true
      const isOurs = OURS.test(line)
      isBelow ||= isOurs && hasTheirs
      // Functions of the language itself may be called by either.
      hasTheirs ||= !isOurs && !line.endsWith('(<anonymous>)')
      return !isOurs && !isBelow
    })
    .join('\\n')
}

/** Cells by the name that people know. */
function named(text, sources) {
  let result = text
  for (const [url, { file }] of sources) if (url !== file) result = result.replaceAll(\`\${url}:\`, \`\${file}:\`)
  return result
}

function framesOf(error, sources) {
  const lines = withoutOurs(String(error.stack)).split('\\n')
  const frames = []
  for (const line of lines) {
    const found = /^\\s+at (?:(?:async )?(.+?) \\()?(?:async )?(.+?):(\\d+):\\d+\\)?$/.exec(line)
    if (found === null) continue
    const [, name = '', url, number] = found
    const source = sources.get(url)
    frames.push({
      path: clip(source?.file ?? url, 1000),
      line: Number(number),
      function: name === '' && source !== undefined ? '<module>' : clip(name, 1000),
      source: clip(source?.lines[Number(number) - 1]?.trim() ?? '', 500),
    })
  }
  if (error.cellPlace !== undefined) {
    const { url, line } = error.cellPlace
    const { file, lines: written } = sources.get(url)
    return [{ path: file, line, function: '', source: clip(written[line - 1]?.trim() ?? '', 500) }]
  }
  // Node prints the innermost first.
  return frames.slice(0, MOST_FRAMES).reverse()
}

function shown(value) {
  try {
    return inspect(value)
  } catch {
    return '<cannot be shown>'
  }
}

/** The head and the tail of a text that is too long. */
export function clip(text, most) {
  if (text.length <= most) return text
  const half = most >> 1
  return \`\${text.slice(0, half)}\\n… \${text.length - most} characters left out …\\n\${text.slice(-half)}\`
}
`,
  node_framing: `// Frames between the host, the control process and the worker: length of what follows, type, id, payload.

export const MAGIC = Buffer.from('\\0MENDLOOP-RUN-1\\n', 'latin1')
export const NONCE_BYTES = 16
// Down: from the host to the control process, and on to the worker; then up.
export const RUN = 1
export const INTERRUPT = 2
export const REPLACE = 3
export const REPLY = 4
export const HELLO = 16
export const READY = 17
export const STDOUT = 18
export const STDERR = 19
export const DISPLAY = 20
export const DONE = 21
export const DIED = 22
export const CALL = 23
/** Goes no further than the control process: from then on an interrupt reaches the cell. */
export const STARTED = 24

const HEAD_BYTES = 9
const MOST_BYTES = 64 * 1024 * 1024

/** One frame as bytes. */
export function pack(type, id, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(payload.length + 5, 0)
  head.writeUInt8(type, 4)
  head.writeUInt32LE(id, 5)
  return Buffer.concat([head, payload])
}

/** A value as JSON in bytes. */
export const asJson = (value) => Buffer.from(JSON.stringify(value), 'utf8')

/** A function that takes bytes as they come and gives the frames that are complete. @throws for what is no frame */
export function frameReader(mostBytes = MOST_BYTES) {
  let pieces = []
  let waiting = 0
  let needed = HEAD_BYTES
  return (chunk) => {
    pieces.push(chunk)
    waiting += chunk.length
    // Joined only when there is enough for a frame: a long one comes in many pieces.
    if (waiting < needed) return []
    let rest = Buffer.concat(pieces)
    const frames = []
    needed = HEAD_BYTES
    while (rest.length >= HEAD_BYTES) {
      const length = rest.readUInt32LE(0)
      if (length < 5 || length > mostBytes) throw new Error(\`a frame of \${length} bytes\`)
      if (rest.length < length + 4) {
        needed = length + 4
        break
      }
      const payload = rest.subarray(HEAD_BYTES, length + 4)
      frames.push({ type: rest.readUInt8(4), id: rest.readUInt32LE(5), payload })
      rest = rest.subarray(length + 4)
    }
    pieces = [rest]
    waiting = rest.length
    return frames
  }
}
`,
  node_host: `// \`await host.call(name, …)\`: asks the application outside for something, as far as it allows.

const MOST_BYTES = 16 * 1024 * 1024
const MOST_DEPTH = 200

/** The application refused, or could not answer; \`code\` says why in one word. */
export class HostError extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}
HostError.prototype.name = 'HostError'

/** @returns the \`host\` of the cells, and what takes the answers */
export function createHost(names, send) {
  let last = 0
  /** One call at a time: whoever comes meanwhile, waits. */
  let turn = Promise.resolve()
  let waiting

  const call = async (name, args = null) => {
    const payload = Buffer.from(JSON.stringify({ name: String(name), args: toPlain(args, 0) }))
    if (payload.length > MOST_BYTES)
      throw new HostError('too-large', \`the arguments of \${name} are \${payload.length} bytes long\`)
    const answered = turn.then(
      () =>
        new Promise((resolve) => {
          last = (last % 0xffffffff) + 1
          waiting = { id: last, resolve }
          send(last, payload)
        }),
    )
    turn = answered
    const answer = JSON.parse((await answered).toString('utf8'))
    if (answer.error) throw new HostError(answer.error.code, answer.error.message)
    return fromPlain(answer.value)
  }

  const take = (id, payload) => {
    if (waiting?.id === id) waiting.resolve(payload)
  }
  return { host: Object.freeze({ call, names: () => [...names] }), take }
}

/** JSON has no bytes: they travel in Base64 under a key of their own. */
function toPlain(value, depth) {
  if (depth > MOST_DEPTH)
    throw new HostError('invalid-input', 'the value is nested too deeply, or refers to itself')
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1))
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new HostError('invalid-input', \`\${value} is no number that JSON has\`)
  if (['function', 'symbol', 'bigint'].includes(typeof value))
    throw new HostError('invalid-input', \`a \${typeof value} cannot be sent\`)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (typeof value.toJSON === 'function') return toPlain(value.toJSON(), depth + 1)
  const prototype = Object.getPrototypeOf(value)
  // A Map would arrive as an empty object.
  if (prototype !== null && prototype !== Object.prototype)
    throw new HostError('invalid-input', \`an object of class \${prototype.constructor?.name} cannot be sent\`)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const plain = Object.fromEntries(entries.map(([key, item]) => [key, toPlain(item, depth + 1)]))
  return entries.some(([key]) => key.startsWith('$')) ? { $plain: plain } : plain
}

/** The way back. */
function fromPlain(value) {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value)
  if (keys.length === 1 && keys[0] === '$bytes') return new Uint8Array(Buffer.from(value.$bytes, 'base64'))
  const inner = keys.length === 1 && keys[0] === '$plain' ? value.$plain : value
  return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, fromPlain(item)]))
}
`,
  node_imports: `// Imports in a cell: a cell is no module, so \`import … from\` becomes what does the same in a script, line for line.

const STATEMENT =
  /^import\\s*(?:([\\w$]+)\\s*(?:,\\s*)?)?(?:\\*\\s*as\\s+([\\w$]+)|\\{([^}]*)\\})?\\s*(?:from\\s*)?(['"])([^'"\\n]+)\\4(?:\\s*(?:with|assert)\\s*\\{[^}]*\\})?/
const BEFORE_PATTERN =
  /(?:^|[({[,;=:!&|?+\\-*%~^<>}\\n]|\\b(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield))\\s*$/

/** The cell with its imports as calls; texts, comments and patterns are left alone. */
export function rewriteImports(code) {
  if (!/\\b(?:import|export)\\b/.test(code)) return code
  const plain = mask(code)
  let result = ''
  let done = 0
  for (const { index, 0: word } of plain.matchAll(/\\b(?:import|export)\\b/g)) {
    if (index < done || /[.\\w$]\\s*$/.test(plain.slice(Math.max(0, index - 1), index))) continue
    const replacement = word === 'import' ? importAt(code, plain, index) : exportAt(plain, index)
    if (replacement === undefined) continue
    result += code.slice(done, index) + replacement.text
    done = index + replacement.length
  }
  return result + code.slice(done)
}

function importAt(code, plain, index) {
  const rest = plain.slice(index + 6)
  if (/^\\s*\\(/.test(rest)) return { text: '__sessionImport', length: 6 }
  if (/^\\s*\\.\\s*meta\\b/.test(rest))
    return { text: '__sessionMeta', length: 6 + /^\\s*\\.\\s*meta/.exec(rest)[0].length }
  const found = STATEMENT.exec(code.slice(index))
  if (found === null || !/(?:^|[;\\n}])[ \\t]*$/.test(plain.slice(0, index))) return undefined
  const [statement, single, all, names, , specifier] = found
  const load = \`await __sessionImport(\${JSON.stringify(specifier)})\`
  const picked = [
    ...(single === undefined ? [] : [\`default: \${single}\`]),
    ...(names ?? '')
      .split(',')
      .flatMap((name) => (name.trim() === '' ? [] : [name.trim().replace(/\\s+as\\s+/, ': ')])),
  ]
  const parts = [
    ...(all === undefined ? [] : [\`const \${all} = \${load}\`]),
    ...(picked.length === 0 ? [] : [\`const { \${picked.join(', ')} } = \${load}\`]),
  ]
  // As many lines as before, so that every line keeps its number.
  const lines = '\\n'.repeat(statement.split('\\n').length - 1)
  return { text: \`\${parts.join('; ') || load}\${lines}\`, length: statement.length }
}

function exportAt(plain, index) {
  const found = /^export\\s+(?=const\\b|let\\b|var\\b|function\\b|class\\b|async\\b)/.exec(plain.slice(index))
  return found === null ? undefined : { text: '', length: found[0].length }
}

/** The code with blanks in place of all that is text, comment or pattern; as long as before. */
function mask(code) {
  let masked = ''
  /** Open templates: how many braces are open within the expression that each is at. */
  const templates = []
  const blank = (text) => text.replace(/[^\\n]/g, ' ')
  for (let at = 0; at < code.length; ) {
    const rest = code.slice(at)
    const literal =
      /^(?:\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?(?:\\*\\/|$)|'(?:\\\\[\\s\\S]|[^'\\\\\\n])*'?|"(?:\\\\[\\s\\S]|[^"\\\\\\n])*"?)/.exec(
        rest,
      )?.[0]
    const pattern =
      literal === undefined && code[at] === '/' && BEFORE_PATTERN.test(masked.slice(-40))
        ? /^\\/(?:\\\\.|\\[(?:\\\\.|[^\\]\\\\\\n])*\\]|[^/\\\\[\\n])+\\/\\w*/.exec(rest)?.[0]
        : undefined
    const inTemplate = templates.at(-1) === 0 && code[at] === '}'
    const template =
      code[at] === '\`' || inTemplate
        ? /^[\`}](?:\\\\[\\s\\S]|\\$(?!\\{)|[^\`\\\\$])*(?:\`|\\$\\{|$)/.exec(rest)?.[0]
        : undefined
    const skipped = literal ?? pattern ?? template
    if (skipped === undefined) {
      if (templates.length > 0 && '{}'.includes(code[at]))
        templates.push(templates.pop() + (code[at] === '{' ? 1 : -1))
      masked += code[at++]
      continue
    }
    if (template !== undefined) {
      if (inTemplate) templates.pop()
      if (template.endsWith('\${')) templates.push(0)
    }
    masked += blank(skipped)
    at += skipped.length
  }
  return masked
}
`,
  node_streams: `// Writing that is done when it returns: Node's own streams keep back what a pipe does not take at once, and a cell that
// has ended would leave its output behind.
import { writeSync } from 'node:fs'
import { Writable } from 'node:stream'

const NOTHING = new Int32Array(new SharedArrayBuffer(4))
const TAKES_NO_MORE_NOW = new Set(['EAGAIN', 'EINTR'])

/** Writes all of it, however little the system takes at once. @throws when nobody takes it */
export function writeAll(descriptor, data) {
  let rest = data
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if (!TAKES_NO_MORE_NOW.has(error.code)) throw error
      Atomics.wait(NOTHING, 0, 0, 1)
    }
  }
}

/** Puts streams of this kind in the place of \`process.stdout\` and \`process.stderr\`, which nobody has asked for yet. */
export function takeOverStreams() {
  for (const [name, descriptor] of [
    ['stdout', 1],
    ['stderr', 2],
  ]) {
    const stream = new Writable({
      decodeStrings: true,
      write(chunk, _, done) {
        try {
          writeAll(descriptor, chunk)
          done()
        } catch (error) {
          done(error)
        }
      },
    })
    // As on Node's own: somebody who ends it does not close the descriptor.
    stream.destroy = () => stream
    Object.assign(stream, { fd: descriptor, isTTY: false })
    Object.defineProperty(process, name, { value: stream, configurable: true, enumerable: true })
  }
}
`,
  node_worker: `// The worker: the process in which the cells run, one after the other, all in one global scope.
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import { Cells } from './node_cells.mjs'
import { Displays } from './node_displays.mjs'
import * as framing from './node_framing.mjs'
import { createHost, HostError } from './node_host.mjs'
import { takeOverStreams, writeAll } from './node_streams.mjs'

const COMMANDS = 3
const UP = 4
const REPLIES = 5

/** Sets up this freshly started process and serves until the control process has gone. */
export function main({ options, importHere }) {
  let cell = 0
  let nonce = Buffer.alloc(0)
  takeOverStreams()
  const send = (type, id, payload) => writeAll(UP, framing.pack(type, id, Buffer.concat([nonce, payload])))
  const displays = new Displays((bundle) => send(framing.DISPLAY, cell, framing.asJson(bundle)))
  hidden('display', displays.display)
  if (options.hostNames !== null) {
    const { host, take } = createHost(options.hostNames, (id, payload) => send(framing.CALL, id, payload))
    hidden('host', host)
    hidden('HostError', HostError)
    const frames = framing.frameReader()
    const replies = new Socket({ fd: REPLIES, readable: true, writable: false })
    replies.on('data', (chunk) => {
      for (const { id, payload } of frames(chunk)) take(id, payload)
    })
  }
  const cells = new Cells({ workspace: options.workspace, displays, importHere, hidden })

  const frames = framing.frameReader()
  const commands = new Socket({ fd: COMMANDS, readable: true, writable: false })
  commands.on('end', () => process.reallyExit(0))
  commands.on('data', (chunk) => {
    for (const { type, id, payload } of frames(chunk)) if (type === framing.RUN) void run(id, payload)
  })

  async function run(id, payload) {
    cell = id
    nonce = payload.subarray(0, framing.NONCE_BYTES)
    displays.start()
    const request = JSON.parse(payload.subarray(framing.NONCE_BYTES + 1).toString('utf8'))
    if (payload[framing.NONCE_BYTES] === 1) {
      cells.takeLateInterrupt()
      await new Promise((resolve) => setImmediate(resolve))
    }
    send(framing.STARTED, id, Buffer.alloc(0))
    const report = await cells.run(request)
    send(framing.DONE, id, framing.asJson(report))
  }
}

/** Puts something into the global scope without listing it there. */
function hidden(name, value) {
  Object.defineProperty(globalThis, name, { value, enumerable: false, configurable: true, writable: true })
}
`,
  system: `"""What only the operating system can do for the session's processes; what is not there is left out."""

import os
import sys

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
SIGKILL = 9

try:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
except Exception:  # a Python without ctypes, or a system without a C library to load
    libc = None


def prctl(option, value):
    """prctl(2) where there is one."""
    if libc is not None and sys.platform.startswith('linux'):
        libc.prctl(option, value, 0, 0, 0)


def keep_private():
    """Nobody of the same user reads the control process's memory or descriptors; orphans come to it."""
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def become_worker(parent):
    """An ordinary process again, that ends when its parent does."""
    prctl(PR_SET_DUMPABLE, 1)
    prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the parent had ended before the line above


def flush_c():
    """Empties the buffers of C's own stdout, which libraries print to."""
    if libc is not None:
        libc.fflush(None)


def close_from(first):
    """Closes every descriptor from \`first\` on."""
    try:
        most = os.sysconf('SC_OPEN_MAX')
    except (ValueError, OSError):
        most = 4096
    os.closerange(first, min(most if most > 0 else 4096, 1 << 16))


def children():
    """Our children, where the system lists them."""
    found = set()
    try:
        for task in os.listdir('/proc/self/task'):
            with open('/proc/self/task/%s/children' % task) as listing:
                found.update(int(pid) for pid in listing.read().split())
    except (OSError, ValueError):
        pass
    return found


def take_over_channels():
    """Standard input and output go where nobody reaches them by number; in their places there is nothing."""
    host_in, host_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number, inheritable=False)
    os.close(nothing)
    return host_in, host_out
`,
  worker: `"""The worker: the process in which the cells run, one after the other, all in one module \`__main__\`."""

import builtins
import fcntl
import io
import json
import os
import signal
import sys
import types

framing, system = load('framing'), load('system')
for _name in ('cells', 'displays', 'figures', 'imports', 'interrupts', 'failures', 'host_calls'):
    load(_name)

NONCE_BYTES = 16


class Channel:
    """The way up to the control process. Every frame carries the nonce of the cell under way."""

    def __init__(self, descriptor, interrupts):
        import threading

        self.descriptor = descriptor
        self.interrupts = interrupts
        self.lock = threading.Lock()
        self.cell, self.nonce = 0, b''

    def send(self, kind, number, payload):
        """One frame, whole, whoever sends at the same time and whenever an interrupt comes."""
        if self.descriptor is None:
            raise RuntimeError('a forked copy of the session cannot display values or call the host')
        with self.interrupts.held(), self.lock:
            framing.write_all(self.descriptor, framing.pack(kind, number, self.nonce + payload))


class WholeWrites(io.FileIO):
    """A raw stream that writes all it is given: a pipe may take less when a signal comes."""

    def write(self, data):
        """All of it."""
        rest = memoryview(data).cast('B')
        total = len(rest)
        while rest:
            rest = rest[super().write(rest) :]
        return total


class Worker:
    """Runs what it is told until the control process has gone."""

    def __init__(self, options, ends):
        self.interrupts = load('interrupts').Interrupts()
        self.channel = Channel(ends['up'], self.interrupts)
        self.commands = ends['commands']
        self.pid = os.getpid()
        self.saved = [(number, os.dup(number)) for number in (0, 1, 2)]
        self.streams = self.open_streams()
        self.module = types.ModuleType('__main__')
        self.module.__dict__['__builtins__'] = builtins
        sys.modules['__main__'] = self.module
        sys.argv = ['']
        load('imports').prepare(options['workspace'])
        self.figures = load('figures')
        self.displays = load('displays').Displays(self.channel, self.figures)
        self.figures.prepare(self.displays)
        self.cells = load('cells').Cells(self.module, self.displays, options)
        builtins.display = self.displays.display
        if options['hostNames'] is not None:
            load('host_calls').prepare(self.channel, self.interrupts, ends['replies'], options['hostNames'])
        os.register_at_fork(after_in_child=lambda: self.detach(ends))

    def serve(self):
        """One command after the other."""
        frames = framing.Frames()
        while True:
            try:
                data = os.read(self.commands, 1 << 20)
                if not data:
                    os._exit(0)
                for kind, number, payload in frames.feed(data):
                    if kind == framing.RUN:
                        self.run(number, payload[:NONCE_BYTES], json.loads(payload[NONCE_BYTES:].decode()))
            except KeyboardInterrupt:
                pass  # it came after the cell had ended

    def run(self, number, nonce, request):
        """One cell, from its own fresh streams to its report."""
        self.channel.cell, self.channel.nonce = number, nonce
        self.restore_streams()
        load('imports').drop_changed()
        report = load('failures').brief(KeyboardInterrupt)
        with self.interrupts.allowed():
            self.channel.send(framing.STARTED, number, b'')
            try:
                report = self.cells.run(request)
            except Exception as error:  # an exception of which not even its own class knows what to say
                report = load('failures').brief(type(error))
        is_copy = os.getpid() != self.pid
        if is_copy and 'error' in report:
            sys.stderr.write(report['error']['traceback'])
        for stream in (sys.stdout, sys.stderr, *self.streams):
            try:
                stream.flush()
            except Exception:
                pass  # the code of the user has put something else there, or closed it
        system.flush_c()
        if is_copy:
            # A fork that has run out of the cell it was made in ends as a program does.
            os._exit(report.get('exit', 0 if report['ok'] else 1))
        report['names'] = self.cells.names()
        self.channel.send(framing.DONE, number, framing.as_json(report))

    def open_streams(self):
        """Text streams over descriptors 1 and 2 that keep nothing back, whatever comes next."""
        streams = []
        for number, errors in ((1, 'strict'), (2, 'backslashreplace')):
            raw = WholeWrites(number, 'w', closefd=False)
            raw.name = ('<stdout>', '<stderr>')[number - 1]
            streams.append(io.TextIOWrapper(raw, 'utf-8', errors, newline='\\n', write_through=True))
        return streams

    def restore_streams(self):
        """What an earlier cell has closed, replaced or led elsewhere is as it was."""
        for number, saved in self.saved:
            os.dup2(saved, number)
        if any(stream.closed for stream in self.streams):
            self.streams = self.open_streams()
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self.streams
        if sys.stdin is None or sys.stdin.closed:
            sys.stdin = open(0, closefd=False)

    def detach(self, ends):
        """A copy of this process that the code of the user has forked does not speak with the control process."""
        self.channel.descriptor = None
        # Emptied, since in a copy of the copy the same numbers may be files of its own.
        while ends:
            try:
                os.close(ends.popitem()[1])
            except OSError:
                pass


def main(options, parent, streams, ends):
    """Sets up this freshly forked process and serves. Never returns."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    placed = {}
    # First out of the way of one another, then each to its place.
    moved = {name: fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for name, descriptor in ends.items()}
    for offset, (name, descriptor) in enumerate(moved.items()):
        placed[name] = os.dup2(descriptor, offset + 3, inheritable=False)
    system.close_from(3 + len(ends))
    system.become_worker(parent)
    Worker(options, placed).serve()
`,
  workers: `"""One worker as the control process sees it: its pipes, what it has still to be given, and its end."""

import os
import signal
import time

system = load('system')

MOST_ORPHAN_ROUNDS = 20


class Worker:
    """A forked process in which the code of the user runs."""

    def __init__(self, options, ready):
        self.ended = set()
        self.spoilt = False
        #: Its end was asked for.
        self.condemned = False
        #: The host call that has not been answered yet.
        self.call = None
        #: One that came meanwhile: whoever made the other has been interrupted, and no longer waits.
        self.next_call = None
        self.waiting = {'commands': bytearray(), 'replies': bytearray()}
        stdin, nothing = os.pipe()
        os.close(nothing)
        (self.stdout, out), (self.stderr, error), (self.up, up) = os.pipe(), os.pipe(), os.pipe()
        (commands, self.commands), (replies, self.replies) = os.pipe(), os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                ends = {'up': up, 'commands': commands, 'replies': replies}
                load('worker').main(options, parent, (stdin, out, error), ends)
            finally:
                os._exit(70)
        for descriptor in (stdin, out, error, up, commands, replies):
            os.close(descriptor)
        for descriptor in self.descriptors():
            os.set_blocking(descriptor, False)
        self.status, self.peak_kib = None, 0
        ready()

    def descriptors(self):
        """Our ends of its pipes."""
        return (self.stdout, self.stderr, self.up, self.commands, self.replies)

    def read(self, descriptor, most):
        """What there is, None when there is nothing now, nothing at all once it has ended."""
        if descriptor in self.ended:
            return None
        try:
            data = os.read(descriptor, most)
        except BlockingIOError:
            return None
        if not data:
            self.ended.add(descriptor)
        return data

    def queue(self, which, data):
        """Gives it something to read, now or when it takes it."""
        self.waiting[which] += data
        self.push()

    def answer(self, number, payload):
        """The host's answer to its call; one that nobody waits for is dropped."""
        if number == self.call:
            self.call = None
            self.queue('replies', load('framing').pack(load('framing').REPLY, number, payload))

    def ask(self, number, payload, tell):
        """Tells the host of a call once the one before has been answered; of those that wait, the last."""
        if self.call is None:
            self.call = number
            tell(number, payload)
        else:
            self.next_call = (number, payload)

    def ask_next(self, tell):
        """The call that has waited."""
        if self.call is None and self.next_call is not None:
            waited, self.next_call = self.next_call, None
            self.ask(*waited, tell)

    def owes_reply(self):
        """A reply lies here that it has not taken."""
        return len(self.waiting['replies']) > 0

    def push(self):
        """Hands over what the pipes take."""
        for which, descriptor in (('commands', self.commands), ('replies', self.replies)):
            waiting = self.waiting[which]
            try:
                while waiting:
                    del waiting[: os.write(descriptor, waiting[: 1 << 20])]
            except BlockingIOError:
                pass
            except OSError:
                waiting.clear()

    def signal(self, number, to_group=False):
        """A signal to the worker alone, or to those of its group as well."""
        if self.status is None:
            try:
                (os.killpg if to_group else os.kill)(self.pid, number)
            except ProcessLookupError:
                pass

    def reap(self):
        """Takes every child that has ended. @returns the worker's status once it is among them"""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid == self.pid:
                self.status, self.peak_kib = status, usage.ru_maxrss
        return self.status

    def how_it_ended(self):
        """Its end as the host reads it."""
        if self.spoilt:
            return {'kind': 'spoilt'}
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            known = {one.value: one.name for one in signal.Signals}
            name = known.get(number, 'signal %d' % number)
            return {'kind': 'signal', 'signal': name, 'peakBytes': self.peak_kib * 1024}
        return {'kind': 'exit', 'code': os.WEXITSTATUS(self.status)}

    def end(self):
        """Ends it with all that it started."""
        self.signal(signal.SIGKILL)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        # What had left the group comes to us when its parent ends, round by round.
        for _ in range(MOST_ORPHAN_ROUNDS):
            left = system.children() - {self.pid}
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            self.reap()
            if not left:
                break
            time.sleep(0.001)
        for descriptor in self.descriptors():
            os.close(descriptor)
`,
} as const

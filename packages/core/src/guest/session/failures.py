"""An exception as plain data: frames of the code as written, none of ours, and the text Python prints."""

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
    return {'ok': False, 'error': {'name': name, 'message': '', 'frames': [], 'traceback': name + '\n'}}


def describe(error, with_locals, namespace, depth=0):
    """One exception, with what caused it."""
    told = {
        'name': name_of(type(error))[:MOST_NAME],
        'message': clip(safely(lambda: message_of(error)) or '', MOST_MESSAGE),
        'frames': frames_of(error, with_locals, namespace),
    }
    if depth == 0:
        told['traceback'] = clip(safely(lambda: text_of(error)) or told['name'] + '\n', MOST_TEXT)
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
    """What code of the user makes of itself, or None: it may raise anything, SystemExit too."""
    try:
        return make()
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None


def clip(text, most):
    """The head and the tail of a text that is too long."""
    if len(text) <= most:
        return text
    left_out = len(text) - most
    return '%s\n… %d characters left out …\n%s' % (text[: most // 2], left_out, text[-(most - most // 2) :])

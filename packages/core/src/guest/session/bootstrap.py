# The whole of the session's command line: reads its programs from standard input and starts the first.
import builtins, json, os, sys, types


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
        # A copy: a cell may put something in the place of what all others use.
        module.__builtins__ = dict(vars(builtins))
        exec(compile(setup['programs'][name], '<mendloop ' + name + '>', 'exec'), module.__dict__)
    return sys.modules[full]


setup = take()
load('control').main(setup['options'])

# The whole of the command line of the judge and of the fork runner. Reads its programs from standard input, byte by
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
    compiled = setup.pop('compiled', None)
    if compiled:
        import _frozen_importlib_external, marshal

        if compiled['magic'] == _frozen_importlib_external.MAGIC_NUMBER.hex():
            # Each fork would inherit them.
            setup['programs'].clear()
            return marshal.loads(bytes.fromhex(compiled.pop('code')))
    return {}


def load(name):
    """One of our own programs as a module, compiled when it is first asked for."""
    if name not in loaded:
        # Not where programs look, which are not to find it there.
        module = loaded[name] = types.ModuleType('_mendloop_' + name)
        module.load = load
        code = ahead.get(name) or compile(setup['programs'][name], '<mendloop ' + name + '>', 'exec')
        exec(code, module.__dict__)
    return loaded[name]


loaded = {}
setup = take()
ahead = compiled_ahead()
if 'setup' in setup:
    load('runner').main(setup['setup'])
else:
    load('judge').main(setup['files'], take)

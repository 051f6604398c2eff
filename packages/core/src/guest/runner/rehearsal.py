"""What the zygote does before anybody has asked for anything.

What Python has run a few times it has looked up and specialised. A fork that is the first to run it would do
that in pages that it has to copy for it. So the way of a program is gone here, as far as it leaves nothing
behind.
"""

import functools
import os
import sys
import time

frames = load('frames')
limits = load('limits')
line = load('line')
place = load('place')
program = load('program')
python_program = load('python_program')
request = load('request')
rules = load('rules')
streams = load('streams')
system = load('system')
workspace = load('workspace')

# Python 3.11 specialises what has run eight times, in some more.
_TIMES = 20
_SAMPLE = {
    'program': {'kind': 'python', 'entry': 'main.py', 'args': []},
    'is_python': True,
    'env': {'PATH': '/bin', 'HOME': '/', 'LANG': 'C.UTF-8', 'PYTHONIOENCODING': 'utf-8'},
    'cwd': '',
    'fresh': False,
    'collect': None,
    'slot': None,
    'rlimits': [],
    'disk_bytes': None,
    'cpu_seconds': 0,
    'most_output': None,
    'piped': False,
    'sizes': [('main.py', 1)],
    'input_bytes': None,
}


def rehearse(settings):
    """Goes the way of a program, from its request to its end."""
    near, far = line.pair()
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    somewhere = place.Place(settings, False, 'rehearsal')
    before = _Surroundings()
    try:
        for _ in range(_TIMES):
            asked = _pass_on(near, far, nothing)
            _prepare(asked, somewhere, nothing)
            _unwind(asked)
            python_program.practise(asked)
            before.restore()
    finally:
        before.restore()
        near.close()
        far.close()
        os.close(nothing)


def _pass_on(near, far, nothing):
    sample = request.Request(dict(_SAMPLE, env=dict(_SAMPLE['env'])), b'#')
    line.send(near, line.BEGIN, b''.join(sample.parts()), (nothing,) * 3)
    _, data, given = line.receive(far)
    for one in given:
        os.close(one)
    return request.Request.read(data)


def _prepare(asked, somewhere, nothing):
    for is_fresh in (True, False):
        somewhere.fresh = is_fresh
        rules.identities(somewhere.own_paths)
    somewhere.make()
    somewhere.lay_out(asked)
    workspace.within(somewhere.root, asked.cwd)
    for path, _ in asked.files():
        workspace.within(somewhere.root, path)
    limits.set_limits(asked.rlimits)
    program.ASKED.pack(asked.cpu_seconds, asked.fresh)
    program.BEGAN.pack(time.monotonic())
    frames.frame(frames.ROOT, 0)
    system.set_dumpable(False)
    system.close_from(1 << 30)
    os.dup2(nothing, nothing)


def _unwind(asked):
    try:
        raise program.Unwound(functools.partial(python_program.run, asked, os.devnull, None))
    except program.Unwound:
        pass


class _Surroundings:
    """What a program finds of its own in the interpreter, to be put back."""

    _STREAMS = ('stdin', 'stdout', 'stderr', '__stdin__', '__stdout__', '__stderr__')

    def __init__(self):
        self._main = sys.modules.get('__main__')
        self._path, self._argv = sys.path[:], sys.argv[:]
        self._streams = [getattr(sys, name) for name in self._STREAMS]
        self._ahead = streams.ahead()

    def restore(self):
        """As it was, with nothing in the environment."""
        sys.modules['__main__'] = self._main
        sys.path[:], sys.argv[:] = self._path, self._argv
        for name, stream in zip(self._STREAMS, self._streams):
            setattr(sys, name, stream)
        streams.put_back(self._ahead)
        os.environ.clear()

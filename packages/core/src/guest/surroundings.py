"""In the candidate's process: what a test has put in place of standard streams, `input` and arguments."""

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

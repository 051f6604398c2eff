"""What a supervisor and its program's process tell the desk."""

import os
import select

frames = load('frames')
line = load('line')


def orphaned():
    """True when the desk died before its death could be told: nobody reads the reports."""
    poll = select.poll()
    poll.register(line.NUMBER, 0)
    return bool(poll.poll(0))


def tell(kind, payload):
    """Sends the desk a small frame."""
    try:
        os.write(line.NUMBER, frames.frame(kind, 0, payload))
    except OSError:
        # The desk is gone; what is left to do is done all the same.
        pass

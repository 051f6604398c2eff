"""The desk's side of a program's standard input: written as fast as the program reads it."""

import os
import select

frames = load('frames')


class Input:
    """Tells the host how much has been taken, so that it does not send more than there is room for."""

    def __init__(self, desk, number, descriptor, execution):
        """`descriptor` is None where there is none: all of it is taken then, as it is when nobody reads any
        more."""
        self._desk = desk
        self._number = number
        self._descriptor = descriptor
        self.give_up = execution.give_up
        self._unwritten, self._is_whole = [], False
        if descriptor is not None:
            os.set_blocking(descriptor, False)

    def write(self, data):
        """Takes some of it."""
        if self._descriptor is None:
            self._tell_taken(len(data))
            return
        self._unwritten.append(memoryview(data))
        self._write_more(self._descriptor)

    def end(self):
        """End of file, after all that was written."""
        self._is_whole = True
        if not self._unwritten:
            self.close()

    def close(self):
        """Nobody reads it any more."""
        if self._descriptor is not None:
            self._desk.ignore(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
        left, self._unwritten = sum(map(len, self._unwritten)), []
        self._tell_taken(left)

    def _write_more(self, descriptor, _events=0):
        taken = 0
        try:
            while self._unwritten:
                piece = self._unwritten[0]
                count = os.write(descriptor, piece)
                taken += count
                if count < len(piece):
                    self._unwritten[0] = piece[count:]
                else:
                    self._unwritten.pop(0)
        except BlockingIOError:
            self._desk.watch(descriptor, self._write_more, select.EPOLLOUT)
        except OSError:
            self._tell_taken(taken)
            self.close()
            return
        self._tell_taken(taken)
        if not self._unwritten:
            self._desk.ignore(descriptor)
            if self._is_whole:
                self.close()

    def _tell_taken(self, count):
        if count:
            self._desk.outbox.send(frames.STDIN_TAKEN, self._number, frames.encoded({'bytes': count}))

"""The desk's side of what a program writes: passed on as fast as the host takes it."""

import os

_PIECE_BYTES = 1 << 16


class Outputs:
    """Both of its streams."""

    def __init__(self, desk, number, kinds, most, execution):
        """`kinds`: of the frames that what comes from a descriptor is sent in. `most`: bytes after which the
        host will kill it, or None."""
        self._desk = desk
        self._number = number
        self._kinds = kinds
        self._execution = execution
        self._most, self._taken = most, 0
        self.give_up = execution.give_up
        self._paused = self._nobody_writes = False
        for descriptor in kinds:
            os.set_blocking(descriptor, False)

    @property
    def are_closed(self):
        """True when all has been passed on."""
        return not self._kinds

    @property
    def _is_too_much(self):
        return self._most is not None and self._taken > self._most

    def pause(self, paused):
        """Leaves it in the pipes, or takes it again."""
        self._paused = paused

    def listen(self):
        """Listens, unless it is paused or the host has to catch up first."""
        waits = self._paused or self._is_too_much
        wanted = not self._desk.is_congested and (self._nobody_writes or not waits)
        for descriptor in self._kinds:
            if wanted:
                self._desk.watch(descriptor, self._on_output)
            else:
                self._desk.ignore(descriptor)

    def drain(self):
        """Everybody is dead: takes what is left in the pipes. Also of a paused one: it is no more than they
        hold."""
        self._nobody_writes = True
        for descriptor in list(self._kinds):
            while not self._desk.outbox.congested and self._on_output(descriptor):
                pass

    def close(self):
        """Takes nothing any more."""
        for descriptor in list(self._kinds):
            self._close(descriptor)

    def _on_output(self, descriptor, _events=0):
        """True when something was read."""
        try:
            data = os.read(descriptor, _PIECE_BYTES)
        except BlockingIOError:
            # Nobody will ever write to it, even if a descriptor has got away.
            if self._nobody_writes:
                self._close(descriptor)
            return False
        if not data:
            self._close(descriptor)
            return False
        # A program that writes once is about to end, most likely.
        self._desk.outbox.send(self._kinds[descriptor], self._number, data, self._taken == 0)
        self._taken += len(data)
        if self._is_too_much and not self._nobody_writes:
            # What it writes until the host's order comes would be for nobody.
            self.listen()
        return True

    def _close(self, descriptor):
        self._desk.ignore(descriptor)
        os.close(descriptor)
        del self._kinds[descriptor]
        self._execution.finish_if_over()

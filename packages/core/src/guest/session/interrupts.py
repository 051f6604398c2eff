"""An interrupt reaches a cell and nothing else: not what runs between two, not half a frame."""

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
        #: How many cells have been interrupted.
        self.count = 0
        signal.signal(signal.SIGINT, self.on_signal)

    def on_signal(self, *_):
        """Python calls it in the main thread, between two of its instructions."""
        if not self.running or self.raised:
            return
        if self.holds:
            self.pending = True
        else:
            self.note()
            raise KeyboardInterrupt

    def note(self):
        """This cell has been interrupted."""
        self.raised = True
        self.count += 1

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
            self.pending = False
            self.note()
            raise KeyboardInterrupt

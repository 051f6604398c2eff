"""The desk's side of the line to the zygote: what is asked of it, and what becomes of its answers."""

import collections
import json
import os
import signal

import _socket

frames = load('frames')
line = load('line')
reasons = load('reasons')

_PIECE_BYTES = 1 << 16
# MSG_DONTWAIT
_DO_NOT_WAIT = 0x40
# More are not asked for ahead of their answers: so much always fits into the line, both ways.
_MOST_UNANSWERED = 32
_GOODBYE_SECONDS = 0.5


class ZygoteGone(Exception):
    """Nothing can be forked any more."""


class Forks:
    """Orders are answered one by one in their order; while packages are imported that takes a while."""

    def __init__(self, pid, end):
        self.pid = pid
        self._line = end
        self._answers = frames.FrameReader()
        self._unsent = collections.deque()  # (kind, payload, end or None, then)
        self._unanswered = collections.deque()  # (kind, then)
        self._has_found_packages = False
        self._imports = 0

    @property
    def descriptor(self):
        """Where answers arrive."""
        return self._line.fileno()

    @property
    def forking(self):
        """True when processes may be there whose numbers are not known yet."""
        return any(kind == line.FORK for kind, _ in self._unanswered)

    @property
    def is_importing(self):
        """True when what is ordered now may wait for long."""
        return any(kind == line.PREPARE for kind, _ in self._unanswered)

    def packages_of(self, is_python):
        """A number for what is imported in a process that is forked next; another one after each import."""
        return self._imports + (is_python and not self._has_found_packages)

    def fork(self, is_python, end, then):
        """Has a supervisor forked with the `end` of a line, which is closed here; calls `then(pid, None)` or
        `then(None, (words, name or None))`. Raises OSError when it cannot be ordered."""
        if is_python and not self._has_found_packages:
            self._has_found_packages = True
            self._imports += 1
        self._order(line.FORK, frames.encoded({'python': is_python}), end, then)

    def prepare(self, names, then):
        """Has packages imported; calls `then(loaded, failed)`."""
        self._has_found_packages = True
        self._imports += 1
        self._order(line.PREPARE, frames.encoded(names), None, then)

    def afterwards(self, action):
        """Calls `action` when all that was ordered so far has been answered."""
        self._unsent.append((None, None, None, action))
        self._send_more()
        self._run_due_actions()

    def withdraw(self, then):
        """Takes back an order to fork that has not been sent; false when it has."""
        for order in self._unsent:
            if order[3] == then:
                self._unsent.remove(order)
                order[2].close()
                return True
        return False

    def _order(self, *order):
        if self._unsent or len(self._unanswered) >= _MOST_UNANSWERED:
            self._unsent.append(order)
        else:
            self._send(*order)

    def _send(self, kind, payload, end, then):
        try:
            if kind is not None:
                line.send(self._line, kind, payload, () if end is None else (end.fileno(),))
        finally:
            if end is not None:
                end.close()
        self._unanswered.append((kind, then))

    def _send_more(self):
        while self._unsent and len(self._unanswered) < _MOST_UNANSWERED:
            order = self._unsent.popleft()
            try:
                self._send(*order)
            except OSError as error:
                order[3](None, reasons.reason_of(error))

    def on_answer(self, _descriptor=None, _events=0):
        """Takes the answers that are there."""
        try:
            self._take(self._line.recv(_PIECE_BYTES, _DO_NOT_WAIT))
        except BlockingIOError:
            return

    def settle(self):
        """Waits until all processes that are there are known. What is to be forked after an import that is
        under way is not there yet, and not waited for."""
        while self.forking:
            is_importing = self._unanswered[0][0] == line.PREPARE
            try:
                self._take(self._line.recv(_PIECE_BYTES, _DO_NOT_WAIT if is_importing else 0))
            except BlockingIOError:
                return

    def _take(self, data):
        if not data:
            raise ZygoteGone('the process that forks all others has ended')
        for kind, number, payload in self._answers.feed(data):
            if kind == line.MOVED:
                self.pid = number
                continue
            _, then = self._unanswered.popleft()
            if kind == line.FORKED:
                then(number, None)
            elif kind == line.NOT_FORKED:
                then(None, json.loads(payload))
            else:
                then(*json.loads(payload))
            self._send_more()
            self._run_due_actions()

    def _run_due_actions(self):
        while self._unanswered and self._unanswered[0][0] is None:
            self._unanswered.popleft()[1]()

    def waited_for(self):
        """The zygote has ended, and its number may soon be another's."""
        self.pid = None

    def end(self):
        """Ends the zygote, when it is done with what it does, or soon. Nothing is forked after this."""
        self._line.settimeout(_GOODBYE_SECONDS)
        try:
            self._line.shutdown(_socket.SHUT_WR)
            self._take_rest()
        except OSError:
            self._kill()
        for _, _, end, _ in self._unsent:
            if end is not None:
                end.close()
        self._unsent.clear()
        self._unanswered.clear()

    def _kill(self):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
        try:
            self._take_rest()
        except OSError:
            # What it has answered has been read as far as it can be.
            pass

    def _take_rest(self):
        try:
            while True:
                self._take(self._line.recv(_PIECE_BYTES))
        except ZygoteGone:
            pass

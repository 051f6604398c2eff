"""`host.call(name, …)`: asks the application outside for something, as far as it allows."""

import base64
import builtins
import json
import os
import select
import threading

framing, lending = load('framing'), load('lending')

MOST_BYTES = 16 * 1024 * 1024
#: Numbers of the application are floating-point: beyond, not every integer is one.
MOST_INTEGER = 2**53 - 1


class HostError(Exception):
    """The application refused, or could not answer. `code` says why in one word."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        # Pickled as it is made: pools of processes hand exceptions on so.
        return (HostError, (self.code, str(self)))


HostError.__module__ = 'builtins'


class Host:
    """The functions that the application lets this code call."""

    def __init__(self, channel, interrupts, replies, names):
        self._channel, self._interrupts, self._replies = channel, interrupts, replies
        self._names = tuple(names)
        # No threading.Condition: that calls built-in functions, which cells replace.
        self._guard, self._bells = threading.RLock(), []
        #: The thread whose call is under way, with its cell, and whether the main thread waits for its end.
        self._caller, self._main_waits = None, False
        self._frames = framing.Frames()
        self._last = 0

    def names(self):
        """The names that can be called."""
        return list(self._names)

    def call(self, name, args=None):
        """Calls one of them with plain data (bytes too) and gives its answer. @raises HostError"""
        try:
            with lending.Kept():
                payload = framing.as_json({'name': str(name), 'args': to_plain(args)})
        except (TypeError, ValueError, RecursionError) as error:
            problem = 'the arguments of %s are no plain data: %s' % (name, error)
            raise HostError('invalid-input', problem) from None
        if len(payload) > MOST_BYTES:
            raise HostError('too-large', 'the arguments of %s are %d bytes long' % (name, len(payload)))
        me = threading.get_ident()
        if self._caller == (me, self._channel.cell):
            raise HostError('failed', 'host.call() was called while it waits for an answer, as by a signal handler')
        try:
            self._take_turn(me)
            self._last = self._last % 0xFFFFFFFF + 1
            self._channel.send(framing.CALL, self._last, payload)
            answer = self._answer(self._last)
        finally:
            self._give_turn(me)
        if 'error' in answer:
            raise HostError(answer['error']['code'], answer['error']['message'])
        return from_plain(answer.get('value'))

    def _take_turn(self, me):
        """One call at a time: whoever comes meanwhile, waits; the cell itself before threads that others have left."""
        is_main = threading.current_thread() is threading.main_thread()
        interrupts = self._interrupts.count
        try:
            while True:
                with self._guard:
                    if self._interrupts.raised or self._interrupts.count != interrupts:
                        raise HostError('closed', 'the cell that made the call is over')
                    # One of our own was left by an interrupt.
                    is_free = self._caller is None or self._caller[0] == me
                    if is_free and (is_main or not self._main_waits):
                        self._caller = (me, self._channel.cell)
                        return
                    self._main_waits |= is_main
                    bell = threading.Lock()
                    bell.acquire()
                    self._bells.append(bell)
                bell.acquire()
        finally:
            if is_main and self._main_waits:
                with lending.Kept(), self._interrupts.held():
                    self._main_waits = False
                    self._ring()

    def _give_turn(self, me):
        with lending.Kept(), self._interrupts.held(), self._guard:
            if self._caller is not None and self._caller[0] == me:
                self._caller = None
            self._ring()

    def _ring(self):
        """Wakes all who wait for their turn."""
        with self._guard:
            bells, self._bells = self._bells, []
            for bell in bells:
                bell.release()

    def _answer(self, number):
        """Waits for the answer with this number; an older one, which nobody read, is dropped."""
        while True:
            select.select([self._replies], [], [])
            with lending.Kept(), self._interrupts.held():
                data = os.read(self._replies, 1 << 20)
                found = [payload for kind, which, payload in self._frames.feed(data) if which == number]
            if found:
                with lending.Kept():
                    return json.loads(found[0].decode('utf-8'))
            if not data:
                raise HostError('closed', 'the session has ended')

    def __repr__(self):
        return 'host(%s)' % ', '.join(self._names)


def to_plain(value):
    """JSON has no bytes: they travel in Base64 under a key of their own."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {'$bytes': base64.b64encode(bytes(value)).decode('ascii')}
    if isinstance(value, dict):
        plain = {key_of(key): to_plain(item) for key, item in value.items()}
        return {'$plain': plain} if any(key.startswith('$') for key in plain) else plain
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float('inf'), float('-inf'))):
        raise ValueError('%r is no number that JSON has' % value)
    if isinstance(value, int) and abs(value) > MOST_INTEGER:
        raise ValueError('%d is too large a number to arrive as it is; send it as a text' % value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if callable(getattr(value, 'tolist', None)):
        return to_plain(value.tolist())  # numpy's arrays and numbers
    raise TypeError('an object of type %s cannot be sent' % type(value).__name__)


def key_of(key):
    """JSON's keys are texts."""
    if isinstance(key, str):
        return key
    raise TypeError('the key %r is no text' % (key,))


def from_plain(value):
    """The way back."""
    if isinstance(value, list):
        return [from_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {'$bytes'}:
        return base64.b64decode(value['$bytes'])
    if set(value) == {'$plain'}:
        value = value['$plain']
    return {key: from_plain(item) for key, item in value.items()}


def prepare(channel, interrupts, replies, names):
    """Makes `host` and `HostError` known to every cell."""
    builtins.host = Host(channel, interrupts, replies, names)
    builtins.HostError = HostError

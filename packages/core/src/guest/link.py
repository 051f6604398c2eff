"""The judge's end of the wire: asks the candidate, answers its callbacks, and trusts no message."""

import builtins
import collections
import contextlib
import sys
import threading

wire = load('wire')
values = load('values')
plain = load('plain')
standins = load('standins')
endings = load('endings')

Handle, StandInType, StandInModule = standins.Handle, standins.StandInType, standins.StandInModule
STREAMS = ('stdout', 'stderr')


class Link(values.Codec):
    STOP = object()

    def __init__(self, channel):
        super().__init__(2)
        self._channel = channel
        self._lock = threading.RLock()
        self._mirror = load('mirror').Mirror(self)
        self.lending = load('lending').Lending(self)
        self._usual = {}
        self._names = {}
        # A deque, since the garbage collector may add to it at any moment.
        self.dropped = collections.deque()
        self.lost = self.problem = None
        self.waiting = False
        self.weak_comparisons = 0
        self.requests = 0
        self.last_call = None
        # Failures that stay failures, though the candidate or the tests may swallow the exception.
        self.held = []
        # Where a statement of the tests begins and ends.
        self.tests_tree = None

    # -- asking -------------------------------------------------------------------------------------

    def ask(self, kind, *parts):
        with self._lock:
            front = self._front(kind)
            with self._all_or_nothing(front):
                message = [*front, *self.items(parts)]
            return self._converse(message)

    def hold_against(self, error):
        """Makes the running test fail with this, whoever catches it."""
        if all(error is not one for one in self.held):
            self.held.append(error)

    def forgive(self, errors):
        self.held = [one for one in self.held if all(one is not error for error in errors)]

    def misused(self, message):
        error = endings.Misuse(message)
        self.hold_against(error)
        raise error

    def operate(self, name, *operands):
        return self.ask('operate', name, *operands)

    def get(self, number, name, owner):
        result = self.ask('get', Borrowed(number), name)
        if isinstance(result, Handle):
            self._names[result._mendloop_number] = name if owner is None else '%s.%s' % (owner, name)
        elif isinstance(result, StandInType):
            result._mendloop_named = True
        return result

    def call(self, number, name, arguments, named):
        with self._lock:
            self.last_call = None
            front = self._front('call')
            with self._all_or_nothing(front):
                pairs = [[key, self.encode(value)] for key, value in named.items()]
                message = [*front, number, self.items(arguments), pairs, self._surroundings()]
            self.last_call = call = Call(self._names.get(number, name), arguments, named)
            call.result = self._converse(message, call)
            return call.result

    def name_of(self, value):
        """What the candidate calls one of its functions that the tests hold, if this is one."""
        return self._names.get(value._mendloop_number) if isinstance(value, Handle) else None

    def _front(self, kind):
        if self.lost is not None:
            raise endings.Lost(self.lost)
        self.requests += 1
        # Changes first: what was changed and then let go of still has to be told.
        changes, outlived = self.changes(), self.outlived()
        self.forget(outlived)
        dropped = [
            number
            for number in (self.dropped.popleft() for _ in range(len(self.dropped)))
            if not self._mirror.is_held(number)
        ]
        return [kind, changes, outlived, dropped]

    @contextlib.contextmanager
    def _all_or_nothing(self, front):
        """What a message that could not be made would have told is told by the next one."""
        mark = self._next
        try:
            yield
        except BaseException:
            self.forget([number for number in self._shared if number > mark and number % 2 == mark % 2])
            for number, _ in front[1]:
                if number in self._shared:
                    self._shared[number][1] = (self,)
            raise

    def _converse(self, message, call=None):
        try:
            self._channel.send(message)
            while True:
                reply = self._channel.receive()
                kind = reply[0]
                if self.apply(reply[1]) and call is not None:
                    call.changed = True
                if kind == 'ok':
                    self._show(reply[3] if len(reply) > 3 else None)
                    return self.decode(reply[2])
                if kind == 'stop' and (message[0] == 'anext' or message[4:5] == ['next']):
                    return self.STOP
                if kind == 'x':
                    self._show(reply[3] if len(reply) > 3 else None)
                    error = self.decode(reply[2])
                    if not isinstance(error, BaseException):
                        raise wire.Broken('an exception that is none')
                    error = endings.raised_by_program(error)
                    break
                if kind != 'lent':
                    raise wire.Broken('an unknown message')
                self._channel.send(self.lending.answer(reply[2:]))
        except wire.Closed as problem:
            self._lose('ended', problem)
        except (
            wire.Broken,
            ValueError,
            TypeError,
            LookupError,
            ArithmeticError,
            AttributeError,
            RecursionError,
            MemoryError,
        ) as problem:
            self._lose('spoke nonsense', problem)
        raise error

    def _lose(self, how, problem):
        if self.lost is None:
            self.lost, self.problem = how, '%s: %s' % (type(problem).__name__, problem)
        raise endings.Lost(self.lost) from problem

    # -- values that are not plain data -------------------------------------------------------------

    def late_writer(self, kind):
        # A stand-in's class answers questions about itself by asking the candidate: not while a message is
        # made.
        return None if isinstance(kind, StandInType) else plain.late_writer(kind)

    def refer(self, value):
        if isinstance(value, Borrowed):
            return ['h', value.number]
        if isinstance(value, StandInType):
            return ['h', value._mendloop_class]
        if isinstance(value, (Handle, StandInModule)):
            return ['h', value._mendloop_number]
        if isinstance(value, BaseException):
            raised = getattr(value, '_mendloop_number', None)
            return self.lending.exception(value) if raised is None else ['h', raised]
        name = getattr(value, '__name__', None)
        if type(name) is str and getattr(builtins, name, None) is value:
            return ['T' if plain.SHARED_TYPES.get(name) is value else 'f', name]
        if type(value) in plain.WRITERS:
            deep = 'the tests pass data to the program that is nested more than %d deep'
            self.misused(deep % values.MAX_DEPTH)
        return self.lending.lend(value)

    def resolve(self, tree):
        tag = tree[0]
        if tag == 'h':
            return self._mirror.handle(*tree[1:])
        if tag == 'C':
            return self._mirror.kind(*tree[1:])
        if tag == 'E':
            return self._mirror.exception(*tree[1:])
        if tag == 'o':
            return self.lending.known(tree[1])
        if tag == 'A':
            return wait_for(self, Borrowed(tree[1]))
        raise wire.Broken('an unknown kind of value')

    # -- standard streams that a test replaced ------------------------------------------------------

    def usual_is_now(self):
        self._usual = {name: getattr(sys, name) for name in (*STREAMS, 'stdin', 'argv')}
        self._usual['input'] = builtins.input

    def _surroundings(self):
        wishes = {name: True for name in STREAMS if getattr(sys, name) is not self._usual[name]}
        if sys.stdin is not self._usual['stdin']:
            wishes['stdin'] = str(sys.stdin.read())
        if sys.argv is not self._usual['argv']:
            wishes['argv'] = [str(argument) for argument in sys.argv]
        if builtins.input is not self._usual['input']:
            wishes['input'] = self.encode(builtins.input)
        return wishes or None

    def _show(self, printed):
        for name, text in zip(STREAMS, printed or ()):
            if text:
                getattr(sys, name).write(str(text))


class Borrowed:
    """Names an object of the candidate's by number alone."""

    __slots__ = ('number',)

    def __init__(self, number):
        self.number = number


class Call:
    """The latest call of the candidate, for the report; `result` is there once it has returned."""

    changed = False

    def __init__(self, name, arguments, named):
        self.name, self.arguments, self.named = name, arguments, named


async def wait_for(link, awaitable):
    return link.ask('await', awaitable)

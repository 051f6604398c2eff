"""The candidate's side: a process that imports the program's files and does what the judge asks of them."""

import importlib
import os
import sys
import threading
import types

load('wire')
values = load('values')
plain = load('plain')
lent = load('lent')
raised = load('raised')
operations = load('operations')


class Server(values.Codec):
    def __init__(self, channel, folder):
        super().__init__(1)
        self._channel = channel
        self._folder = folder
        self._turn = threading.Lock()
        self._objects = {}  # number -> the candidate's object
        self._object_numbers = {}
        self._described = set()
        self._pinned = set()  # numbers of modules, which the judge never lets go of
        self._lent = {}  # number -> stand-in for the judge's object
        self._lent_numbers = {}
        self._loop = None

    # -- values that are not plain data -------------------------------------------------------------

    def refer(self, value):
        kind = type(value)
        # By identity: `functools.wraps` copies any mark that could be put on a function.
        if id(value) in self._lent_numbers:
            return ['o', self._lent_numbers[id(value)]]
        if issubclass(kind, type):
            return self._class(value)
        if issubclass(kind, BaseException):
            return self.exception(value)
        if kind.__module__ == 'numpy' and hasattr(kind, 'item') and getattr(value, 'shape', None) == ():
            # A scalar says all there is to it as plain data.
            item = value.item()
            if type(item) is not kind:
                return self.encode(item)
        if kind is types.CoroutineType:
            return ['A', self._number(value)]
        tree = ['h', self._number(value), self._class(kind)]
        if issubclass(kind, operations.UNCHANGING) and not issubclass(kind, bool):
            # Told at once, while nobody knows what it will be compared with.
            tree.append(self.encode(operations.OPERATIONS['data'](value), 1))
        return tree

    def resolve(self, tree):
        if tree[0] == 'h':
            return self._objects[tree[1]]
        if tree[0] == 'f':
            return getattr(plain.builtins, tree[1])
        if tree[0] == 'E':
            return lent.exception(self, *tree[1:])
        number = tree[1]
        if number not in self._lent:
            self._lent[number] = made = lent.stand_in(self, number, *tree[2:])
            self._lent_numbers[id(made)] = number
        return self._lent[number]

    def exception(self, error, details=None, depth=0):
        origin = getattr(error, lent.ORIGIN, 0)
        try:
            text = str(error)
        except BaseException:
            text = ''
        arguments = self.items(error.args if type(error.args) is tuple else (), 1)
        cause = error.__cause__ if depth < raised.MAX_CAUSES else None
        cause = None if cause is None else self.exception(cause, depth=depth + 1)
        return ['E', self._number(error), self._class(type(error)), arguments, text, origin, details, cause]

    def _number(self, value):
        number = self._object_numbers.get(id(value))
        if number is None:
            number = self._object_numbers[id(value)] = self.new_number()
            self._objects[number] = value
        return number

    def _class(self, kind):
        if kind in plain.SHARED_TYPE_NAMES:
            return ['T', plain.SHARED_TYPE_NAMES[kind]]
        if issubclass(kind, tuple) and plain.is_plain_namedtuple(kind):
            return ['nt', *self.tuple_class(kind)]
        number = self._number(kind)
        if number in self._described:
            return ['C', number]
        self._described.add(number)
        bases = [self._class(base) for base in kind.__bases__ if base is not object]
        return ['C', number, kind.__name__, str(kind.__module__), bases, operations.operators_of(kind)]

    # -- the conversation ---------------------------------------------------------------------------

    def serve(self):
        message = self._channel.receive()
        while True:
            message = self._exchange(self._obey(message))

    def ask(self, kind, *parts):
        """Asks the judge for something while it waits for us, such as a call of one of its functions."""
        front = [kind, self.changes()]
        answer = self._exchange([*front, *map(self.encode, parts)])
        while answer[0] not in ('ok', 'stop', 'x'):
            answer = self._exchange(self._obey(answer))
        self._take_over(answer)
        if answer[0] == 'x':
            raise self.decode(answer[4])
        if answer[0] == 'stop':
            raise StopIteration
        return self.decode(answer[4])

    def _exchange(self, message):
        # Only one thread may talk, and no other until the judge has answered it.
        with self._turn:
            self._channel.send(message)
            return self._channel.receive()

    def _take_over(self, message):
        self.apply(message[1])
        self.forget(message[2])
        for number in set(message[3]) - self._pinned:
            self._object_numbers.pop(id(self._objects.pop(number, None)), None)

    def _obey(self, message):
        """One request of the judge's, done; whatever the program raises becomes the reply."""
        surroundings = None
        try:
            self._take_over(message)
            if message[0] == 'call':
                _, _, _, _, number, arguments, named, wishes = message
                surroundings = load('surroundings').Surroundings(self, wishes) if wishes else None
                function = self._objects[number]
                arguments, named = self.values(arguments), {key: self.decode(tree) for key, tree in named}
                result = (
                    surroundings.call(function, arguments, named)
                    if surroundings
                    else function(*arguments, **named)
                )
            else:
                result = getattr(self, 'do_' + message[0])(*self.values(message[4:]))
            # Changes first: what they define, the result may name.
            reply = ['ok', self.changes()]
            reply.append(self.encode(result))
        except BaseException as error:
            if (
                type(error) is StopIteration
                and message[4:5] == ['next']
                or type(error) is StopAsyncIteration
                and message[0] == 'anext'
            ):
                return ['stop', self.changes(), None]
            reply = ['x', self.changes()]
            reply.append(self.exception(error, raised.details_of(error, self._folder)))
        if surroundings:
            reply.append(surroundings.printed())
        return reply

    # -- requests -----------------------------------------------------------------------------------

    def do_import(self, name):
        module = importlib.import_module(name)
        names = getattr(module, '__all__', None)
        if names is None:
            names = [name for name in vars(module) if not name.startswith('_')]
        path = raised.inside(getattr(module, '__file__', None) or '<none>', self._folder)
        self._pinned.add(self._number(module))
        return self._number(module), tuple(map(str, names)), path, hasattr(module, '__path__')

    def do_module(self, owner):
        return owner.__name__ if isinstance(owner, types.ModuleType) else None

    def do_get(self, owner, name):
        return getattr(owner, name)

    def do_set(self, owner, name, value):
        setattr(owner, name, value)

    def do_delete(self, owner, name):
        delattr(owner, name)

    def do_operate(self, name, *operands):
        return operations.OPERATIONS[name](*operands)

    def do_anext(self, iterator):
        return self.do_await(type(iterator).__anext__(iterator))

    def do_await(self, awaitable):
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        if self._loop.is_running():
            return lent.in_thread(lambda: asyncio.run(lent.awaited(awaitable)))
        asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(lent.awaited(awaitable))


def main(read_fd, write_fd, files, entry):
    """Never returns."""
    confined = load('confine').drop_powers()
    folder = os.getcwd()
    load('program_files').start_program(files, folder)
    sys.argv = [entry]
    sys.modules['__main__'] = types.ModuleType('__main__')
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)
    channel = load('wire').Channel(read_fd, write_fd)
    try:
        channel.receive()
        channel.send(['ok', [], confined])
        Server(channel, folder).serve()
    except load('wire').Closed:
        os._exit(0)

"""In the candidate's process: stand-ins for what the tests hand over, such as functions to call back."""

import threading

ORIGIN = '_mendloop_origin'


class Lent:
    """Stands for an object of the tests'. Public attributes and operators are forwarded to the judge."""

    __slots__ = ('_mendloop_link',)

    def __init__(self, server, number):
        object.__setattr__(self, '_mendloop_link', (server, number))

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return _forward(self, 'get', name)

    def __setattr__(self, name, value):
        _forward(self, 'set', name, value)

    def __call__(self, *arguments, **named):
        return _forward(self, 'call', arguments, tuple(named.items()))

    def __exit__(self, kind, error, trace):
        return _forward(self, 'exit', error)

    def __iter__(self):
        return _forward(self, 'iter')


def _forward(lent, *parts):
    server, number = lent._mendloop_link
    return server.ask('lent', number, *parts)


def _operator(name):
    return lambda lent, *operands: _forward(lent, name, *operands)


OPERATORS = (
    'next len getitem setitem delitem contains eq lt le gt ge hash repr str bool add sub mul truediv '
    'floordiv mod pow matmul and or xor neg abs enter'
)
for _name in OPERATORS.split():
    setattr(Lent, '__%s__' % _name, _operator(_name))


def stand_in(server, number, kind, name):
    """A real function for a function, since programs ask; a `Lent` for anything else."""
    if kind == 'object':
        return Lent(server, number)
    if kind == 'async':

        async def call(*arguments, **named):
            return server.ask('lent', number, 'call', arguments, tuple(named.items()))

    else:

        def call(*arguments, **named):
            return server.ask('lent', number, 'call', arguments, tuple(named.items()))

    call.__name__ = call.__qualname__ = name
    return call


def exception(server, origin, bases, name, arguments):
    """An exception of the tests' own, of a class that the candidate can catch by its built-in bases."""
    base = server.decode(bases)
    kind = base if base.__name__ == name else type(name, (base,), {})
    error = kind.__new__(kind, *server.values(arguments))
    error.args = tuple(server.values(arguments))
    setattr(error, ORIGIN, origin)
    return error


async def awaited(awaitable):
    return await awaitable


def in_thread(work):
    """The result of `work`, done in another thread, because an event loop is running in this one."""
    outcome = []

    def run():
        try:
            outcome.append((work(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result

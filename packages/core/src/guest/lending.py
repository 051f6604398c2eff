"""In the judge: the tests' own objects that the candidate may use, and exactly what it may do with them. A
function may be called and no more, since its attributes lead to the tests' source."""

import operator
import types

suppression = load('suppression')
TESTS = '<tests>'
CALLABLE_HOMES = ('functools', 'operator')
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.BuiltinMethodType, type)
OBJECT_HOMES = frozenset(('mendloop_tests', 'unittest.mock', '_io', 'io', 'collections', 'random'))
OPERATIONS = {
    name: getattr(operator, '__%s__' % name)
    for name in (
        'getitem setitem delitem contains eq lt le gt ge add sub mul truediv floordiv mod pow matmul '
        'and or xor neg abs'
    ).split()
}
OPERATIONS.update(len=len, hash=hash, repr=repr, str=str, bool=bool, iter=iter, next=next)


class Lending:
    """Numbers for the tests' objects, and the requests that the candidate makes of them."""

    def __init__(self, link):
        self._link = link
        self._numbers = {}
        self._objects = {}
        self._errors = {}
        self._failed = {}

    def lend(self, value):
        kind = type(value)
        if is_function(value):
            role = 'async' if is_async(value) else 'function'
        elif kind is object or kind.__module__ in OBJECT_HOMES or hasattr(kind, '__next__'):
            role = 'object'
        else:
            self._link.misused(
                'the tests cannot pass %s to the program: it is neither plain data, nor a function, '
                'nor an object of a class of the tests' % kind.__name__
            )
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = self._link.new_number()
            self._objects[number] = value
        return ['o', number, role, str(getattr(value, '__name__', 'function'))]

    def known(self, number):
        return self._objects[number]

    def exception(self, error):
        """An exception on its way through the candidate; it comes back as the same object."""
        number = self._link.new_number()
        self._errors[number] = error
        base = next(base for base in type(error).__mro__ if base.__module__ == 'builtins')
        try:
            arguments = self._link.items(error.args, 1)
        except TypeError:
            arguments = [str(error)]
        return ['E', number, ['T', base.__name__], type(error).__name__, arguments]

    def thrown(self, number):
        return self._errors[number]

    def answer(self, parts):
        """The reply to one request of the candidate."""
        link, number, operation, operands = self._link, None, None, []
        before = link.requests
        try:
            number, operation, *operands = link.values(parts)
            result = self._perform(self._objects[number], operation, operands)
            if operation == 'call' and not any(operands):
                # Called once more it does not fail: what a program is for that waits for something.
                link.forgive(self._failed.pop(number, ()))
            reply = ['ok', link.changes(), [], []]
            return [*reply, link.encode(result)]
        except StopIteration:
            return ['stop', link.changes(), [], []]
        except Exception as error:
            untouched = operation == 'call' and not any(operands) and link.requests == before
            if suppression.is_failed_check(error) and not (untouched and suppression.is_example(error)):
                link.hold_against(error)
                if operation == 'call' and not any(operands):
                    self._failed.setdefault(number, []).append(error)
            reply = ['x', link.changes(), [], []]
            return [*reply, link.refer(error)]

    def _perform(self, value, operation, operands):
        if operation == 'call':
            arguments, named = operands
            result = value(*arguments, **dict(named))
            return run(result) if isinstance(result, types.CoroutineType) else result
        if (
            is_function(value)
            or isinstance(value, types.GeneratorType)
            and operation not in ('iter', 'next')
        ):
            raise TypeError('the program may only call a function of the tests')
        if operation in ('get', 'set'):
            return self._attribute(value, operation, *operands)
        if operation == 'enter':
            return value.__enter__()
        if operation == 'exit':
            error = operands[0]
            return bool(value.__exit__(None if error is None else type(error), error, None))
        return OPERATIONS[operation](value, *operands)

    def _attribute(self, value, operation, name, *new):
        if type(name) is not str or not name.isidentifier() or name.startswith('_') or is_inner(value, name):
            raise AttributeError('%r object has no attribute %r' % (type(value).__name__, name))
        if operation == 'get':
            return getattr(value, name)
        # Data may be set, methods may not be replaced.
        if callable(getattr(type(value), name, None)):
            raise AttributeError('the program may not replace a method of the tests')
        return setattr(value, name, new[0])


def is_function(value):
    """True for what the candidate may call and no more, such as a `partial`, which knows its arguments."""
    return isinstance(value, FUNCTIONS) or callable(value) and type(value).__module__ in CALLABLE_HOMES


def is_inner(value, name):
    """True for public attributes that are the interpreter's, the test runner's or a mock's own: with those,
    a mock is told what to answer and what to claim."""
    if any(base.__module__ == 'unittest.mock' for base in type(value).__mro__) and hasattr(type(value), name):
        return True
    return isinstance(value, (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)) or any(
        base.__module__.startswith('unittest.case') for base in type(value).__mro__
    )


def is_async(value):
    code = getattr(value, '__code__', None)
    return bool(code is not None and code.co_flags & 0x80)


def run(coroutine):
    """The result of a coroutine of the tests', in a thread of its own where an event loop is running here."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return load('lent').in_thread(lambda: asyncio.run(coroutine))

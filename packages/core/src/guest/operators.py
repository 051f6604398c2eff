"""Operators of the stand-ins: what each asks of the candidate, and which answers the tests may not rest
on."""

standins = load('standins')
Handle, link_of, refuse, steps = standins.Handle, standins.link_of, standins.refuse, standins.steps

BINARY = 'add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift'.split()
UNARY = 'neg pos abs invert int float complex index round trunc floor ceil'.split()
INPLACE = 'iadd isub imul ior iand ixor'.split()
ORDER = 'lt le gt ge'.split()


def arithmetic(name):
    """An operator whose result may not stand for a number that the tests compute with: the classic forgery
    answers `abs(result - expected) < tolerance` with a difference of its own choice."""
    reflected = name.startswith('r') and name[1:] in BINARY

    def method(self, *operands):
        tainted = any(isinstance(one, Handle) and one._mendloop_tainted for one in (self, *operands))
        mixed = not type(self)._mendloop_named and any(not isinstance(one, Handle) for one in operands)
        if reflected:
            result = link_of(self).operate(name[1:], *operands, self)
        else:
            result = link_of(self).operate(name, self, *operands)
        if result is NotImplemented:
            return result
        if isinstance(result, Handle):
            if tainted or mixed and name not in UNARY:
                object.__setattr__(result, '_mendloop_tainted', True)
        elif tainted or mixed and name not in UNARY:
            refuse(self)
        elif any(not isinstance(one, Handle) for one in operands):
            link_of(self).weak_comparisons += 1
        return result

    return method


def order(name):
    def method(self, other):
        if not isinstance(other, Handle) and (self._mendloop_tainted or not type(self)._mendloop_named):
            raise TypeError(
                "an object of the program's class %r cannot be compared with %s"
                % (type(self).__name__, type(other).__name__)
            )
        link_of(self).weak_comparisons += 1
        return truth(link_of(self).operate(name, self, other), name)

    return method


def equality(self, other):
    if self is other:
        return True
    if not isinstance(other, Handle):
        return False
    link_of(self).weak_comparisons += 1
    return truth(link_of(self).operate('eq', self, other), 'eq')


def truth(answer, name):
    if answer is NotImplemented or type(answer) is bool:
        return answer
    raise TypeError('__%s__ of the program returned no bool' % name)


def typed(name, kind):
    def method(self):
        if self._mendloop_tainted and name != 'hash':
            refuse(self)
        answer = link_of(self).operate(name, self)
        if type(answer) is not kind:
            raise TypeError('__%s__ of the program returned no %s' % (name, kind.__name__))
        return answer

    return method


def forwarded(name):
    return lambda self, *operands: link_of(self).operate(name, self, *operands)


def contains(self, item):
    return standins.holds(link_of(self), self, item, type(self)._mendloop_named)


def call(self, *arguments, **named):
    return link_of(self).call(self._mendloop_number, type(self).__name__, arguments, named)


def next_item(self):
    item = link_of(self).operate('next', self)
    if item is link_of(self).STOP:
        raise StopIteration
    return item


def leave(name):
    def method(self, kind, error, trace):
        answer = link_of(self).operate(name, self, error)
        # A failed check of the tests is not the candidate's to swallow.
        if isinstance(error, AssertionError) and not hasattr(error, '_mendloop_raised'):
            return False
        return answer

    return method


async def leave_async(self, kind, error, trace):
    answer = await link_of(self).operate('aexit', self, error)
    return (
        answer
        if error is None or hasattr(error, '_mendloop_raised') or not isinstance(error, AssertionError)
        else False
    )


async def next_async(self):
    item = link_of(self).ask('anext', self)
    if item is link_of(self).STOP:
        raise StopAsyncIteration
    return item


def wait(self):
    return link_of(self).ask('await', self)
    yield


def iterate(self):
    link = link_of(self)
    iterator = link.operate('iter', self)
    if iterator is self:
        return self
    return steps(link, iterator) if isinstance(iterator, Handle) else iter(iterator)


FORWARDED = {
    **{name: arithmetic(name) for base in BINARY for name in (base, 'r' + base)},
    **{name: arithmetic(name) for name in (*UNARY, *INPLACE)},
    **{name: order(name) for name in ORDER},
    **{name: forwarded(name) for name in 'getitem setitem delitem enter aenter aiter reversed'.split()},
    'eq': equality,
    'contains': contains,
    'call': call,
    'next': next_item,
    'await': wait,
    'anext': next_async,
    'exit': leave('exit'),
    'aexit': leave_async,
    'iter': iterate,
    'hash': typed('hash', int),
    'len': typed('len', int),
    'bool': typed('bool', bool),
    'length_hint': typed('length_hint', int),
}

"""Operators of the stand-ins: what each asks of the candidate, and which answers the tests may not rest
on."""

import operator

standins = load('standins')
probes, suppression = load('probes'), load('suppression')
Handle, link_of, refuse, steps = standins.Handle, standins.link_of, standins.refuse, standins.steps

BINARY = 'add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift'.split()
UNARY = 'neg pos abs invert int float complex index round trunc floor ceil'.split()
INPLACE = 'iadd isub imul ior iand ixor'.split()
ORDER = 'lt le gt ge'.split()
# What these make of an object and plain data tells how far apart the two are: that is the judge's to say.
DIFFERENCES = frozenset('sub mod floordiv divmod and xor isub iand ixor'.split())
DECIDING = DIFFERENCES | {'truediv'}


def arithmetic(name):
    """An operator whose result may not stand for a number that the tests compute with: the classic forgery
    answers `abs(result - expected) < tolerance` with a difference of its own choice."""
    reflected = name.startswith('r') and name[1:] in BINARY
    base = name[1:] if reflected else name

    def method(self, *operands):
        tainted = any(isinstance(one, Handle) and one._mendloop_tainted for one in (self, *operands))
        mixed = name not in UNARY and any(not isinstance(one, Handle) for one in operands)
        named = type(self)._mendloop_named
        if reflected:
            result = link_of(self).operate(name[1:], *operands, self)
        else:
            result = link_of(self).operate(name, self, *operands)
        if result is NotImplemented:
            return result
        if isinstance(result, Handle):
            if tainted or mixed and not (named and base not in DIFFERENCES):
                object.__setattr__(result, '_mendloop_tainted', True)
        elif tainted or mixed and not (named and base not in DECIDING):
            data = NotImplemented if tainted else standins.data_of(self, operands[0])
            if data is NotImplemented:
                refuse(self, 'came where the tests compute with %s' % kinds_of(operands))
            pair = (operands[0], data) if reflected else (data, operands[0])
            return getattr(operator, '__%s__' % base)(*pair) if base != 'divmod' else divmod(*pair)
        elif mixed:
            link_of(self).weak_comparisons += 1
        return result

    return method


def kinds_of(operands):
    return ', '.join(type(one).__name__ for one in operands if not isinstance(one, Handle)) or 'a number'


def order(name):
    def method(self, other):
        if not isinstance(other, Handle):
            return probes.ordered(self, name, other)
        link_of(self).weak_comparisons += 1
        return truth(self, link_of(self).operate(name, self, other))

    return method


def equality(self, other):
    if self is other:
        return True
    if not isinstance(other, Handle):
        return standins.is_alike(self, other)
    link_of(self).weak_comparisons += 1
    return truth(self, link_of(self).operate('eq', self, other))


def truth(handle, answer):
    if answer is NotImplemented or type(answer) is bool:
        return answer
    return refuse(handle, 'was compared, and the answer is no bool')


def typed(name, kind):
    def method(self):
        if self._mendloop_tainted and name != 'hash':
            refuse(self)
        if name == 'bool':
            link_of(self).weak_comparisons += 1
        answer = link_of(self).operate(name, self)
        if type(answer) is not kind:
            refuse(self, 'was asked for its __%s__, which is no %s' % (name, kind.__name__))
        return answer

    return method


def forwarded(name):
    return lambda self, *operands: link_of(self).operate(name, self, *operands)


def contains(self, item):
    return probes.holds(link_of(self), self, item, type(self)._mendloop_named)


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
        return suppression.allowed(link_of(self), error, answer)

    return method


async def leave_async(self, kind, error, trace):
    answer = await link_of(self).operate('aexit', self, error)
    return suppression.allowed(link_of(self), error, answer)


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

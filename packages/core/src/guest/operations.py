"""In the candidate's process: the operators that the judge may ask for, by name."""

import operator

# Operators a class may have; the judge's stand-in for its instances gets those and no others.
OPERATORS = '''add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift
iadd isub imul ior iand ixor radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor
rlshift rrshift neg pos abs invert int float complex index round trunc floor ceil bool len length_hint
getitem setitem delitem contains iter next reversed enter exit call lt le gt ge eq hash
await aenter aexit aiter anext copy deepcopy'''.split()
ORDINARY = {'__%s__' % name: getattr(object, '__%s__' % name, None) for name in OPERATORS}


def operators_of(kind):
    """Names of the operators that a class defines, beyond what every object has."""
    return [
        name[2:-2] for name, inherited in ORDINARY.items() if getattr(kind, name, inherited) is not inherited
    ]


EXACT = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex.__add__(value, 0j),
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    bytearray: lambda value: bytearray(bytes(memoryview(value))),
    dict: lambda value: dict(dict.items(value)),
    **{
        kind: lambda value, _kind=kind: _kind(_kind.__iter__(value))
        for kind in (list, tuple, set, frozenset)
    },
}


UNCHANGING = (int, float, complex, str, bytes, tuple, frozenset)


def _data(value):
    """The plain data that an object of a derived class, such as an IntEnum, consists of."""
    return next(EXACT[base](value) for base in type(value).__mro__ if base in EXACT)


def _copy(value):
    import copy

    return copy.copy(value)


def _deepcopy(value, memo=None):
    import copy

    return copy.deepcopy(value)


OPERATIONS = {
    name: getattr(operator, '__%s__' % name)
    for name in '''add sub mul truediv floordiv mod pow matmul and or xor iadd isub imul ior iand ixor
lshift rshift neg pos abs invert index getitem setitem delitem contains lt le gt ge eq'''.split()
}
OPERATIONS.update(
    int=int,
    float=float,
    complex=complex,
    bool=bool,
    len=len,
    hash=hash,
    repr=repr,
    str=str,
    format=format,
    iter=iter,
    next=next,
    reversed=reversed,
    divmod=divmod,
    round=round,
    copy=_copy,
    deepcopy=_deepcopy,
    data=_data,
    dir=dir,
    isinstance=isinstance,
    issubclass=issubclass,
    **{
        name: (lambda value, _name='__%s__' % name, *rest: getattr(type(value), _name)(value, *rest))
        for name in 'trunc floor ceil enter aenter aiter length_hint'.split()
    },
)


def _exit(value, name, error):
    kind = None if error is None else type(error)
    return getattr(type(value), name)(value, kind, error, None if error is None else error.__traceback__)


OPERATIONS.update(
    exit=lambda value, error: _exit(value, '__exit__', error),
    aexit=lambda value, error: _exit(value, '__aexit__', error),
)

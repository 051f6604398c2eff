"""In the judge: what `import solution` gives to the tests. Every use of these objects becomes a message."""

import types

# Dunder attributes that are data; protocols that hand out memory or code (`__array_interface__`,
# `__reduce__`) are not.
READABLE = frozenset(
    '''__name__ __qualname__ __doc__ __module__ __dict__ __annotations__ __wrapped__ __all__ __version__
__author__ __file__ __notes__ __defaults__ __kwdefaults__ __slots__ __members__ __abstractmethods__
__match_args__ __dataclass_fields__ __cause__ __context__'''.split()
)


# Questions that the tests ask of plain data, as in `assert name(x).startswith('a')`: no other object answers
# them.
PREDICATES = frozenset(
    name
    for kind in (str, bytes, float, set)
    for name in dir(kind)
    if name.startswith('is') or name in ('startswith', 'endswith')
)


def refuse(stand_in, message='took the place of plain data'):
    """Fails the test, whoever catches the exception: what the candidate answers here, the tests cannot rest
    on."""
    kind = stand_in if isinstance(stand_in, StandInType) else type(stand_in)
    error = TypeError("an object of the program's class %r %s" % (kind.__name__, message))
    kind._mendloop_link.hold_against(error)
    raise error


def is_dunder(name):
    return name.startswith('__') and name.endswith('__')


class StandInType(type):
    """Class of the stand-ins for the candidate's classes, so that `isinstance`, `except` and calls work on
    them."""

    def __call__(cls, *arguments, **named):
        return cls._mendloop_link.call(cls._mendloop_class, cls.__name__, arguments, named)

    def __new__(meta, name, bases, body, link=None, number=0):
        if link is None:
            base = next(base for base in bases if isinstance(base, StandInType))
            base._mendloop_link.misused(
                'the tests derive %s from a class of the program, which lives in another process' % name
            )
        body.update(_mendloop_link=link, _mendloop_class=number, _mendloop_named=False)
        return super().__new__(meta, name, bases, body)

    def __init__(cls, name, bases, body, link=None, number=0):
        super().__init__(name, bases, body)

    def __getattr__(cls, name):
        if name.startswith('_mendloop') or is_dunder(name) and name not in READABLE:
            raise AttributeError(name)
        return cls._mendloop_link.get(cls._mendloop_class, name, cls.__name__)

    def __setattr__(cls, name, value):
        if name.startswith('_mendloop') or is_dunder(name):
            type.__setattr__(cls, name, value)
        else:
            cls._mendloop_link.ask('set', cls, name, value)

    def __delattr__(cls, name):
        cls._mendloop_link.ask('delete', cls, name)

    def __bool__(cls):
        return True

    def __iter__(cls):
        return iter_over(cls)

    def __len__(cls):
        return cls._mendloop_link.operate('len', cls)

    def __contains__(cls, item):
        return load('probes').holds(cls._mendloop_link, cls, item)

    def __getitem__(cls, key):
        return cls._mendloop_link.operate('getitem', cls, key)

    def __dir__(cls):
        return cls._mendloop_link.operate('dir', cls)


class Handle:
    """Base of the stand-ins for the candidate's objects. Operators are added class by class, as the
    candidate has them."""

    __slots__ = ('_mendloop_number', '_mendloop_tainted', '_mendloop_data', '__weakref__')

    def __getattr__(self, name):
        if name.startswith('_mendloop') or is_dunder(name) and name not in READABLE:
            raise AttributeError('%r object has no attribute %r' % (type(self).__name__, name))
        looks = type(self)._mendloop_looks
        if looks in UNCHANGING and name in dir(looks) and not type(self)._mendloop_named:
            return getattr(data_of(self, looks()), name)
        if name in PREDICATES:
            if not type(self)._mendloop_named:
                refuse(self)
            link_of(self).weak_comparisons += 1
        return link_of(self).get(self._mendloop_number, name, type(self).__name__)

    def __setattr__(self, name, value):
        link_of(self).ask('set', self, name, value)

    def __delattr__(self, name):
        link_of(self).ask('delete', self, name)

    def __del__(self):
        link_of(self).dropped.append(self._mendloop_number)

    def __repr__(self):
        return text_of(self, 'repr')

    def __str__(self):
        return text_of(self, 'str')

    def __format__(self, spec):
        return text_of(self, 'format', spec)

    def __dir__(self):
        return link_of(self).operate('dir', self)

    def __copy__(self):
        return link_of(self).operate('copy', self)

    def __deepcopy__(self, memo):
        return link_of(self).operate('deepcopy', self)

    def __eq__(self, other):
        return self is other or not isinstance(other, Handle) and is_alike(self, other)

    def __bool__(self):
        link_of(self).weak_comparisons += 1
        return all('__len__' not in vars(base) for base in type(self).__mro__) or len(self) > 0

    def __hash__(self):
        return object.__hash__(self)


class Remote:
    """An attribute that every class has of its own, read from the candidate instead, for classes and
    instances."""

    def __init__(self, name):
        self._name = name

    def __get__(self, handle, kind):
        number = kind._mendloop_class if handle is None else handle._mendloop_number
        return kind._mendloop_link.get(number, self._name, kind.__name__)


DATA = {name: Remote(name) for name in ('__doc__', '__module__')}


def link_of(handle):
    return type(handle)._mendloop_link


def data_of(handle, other):
    """The plain data below an object of a program's own kind of int, str, list and so on, where `other` is
    such data too; NotImplemented elsewhere. The candidate told it without knowing what it would be compared
    with."""
    looks = type(handle)._mendloop_looks
    fits = isinstance(other, NUMBERS) if looks in NUMBERS else isinstance(other, looks or ())
    if looks not in EXACT or not fits:
        return NotImplemented
    data = handle._mendloop_data or [None]
    if looks not in UNCHANGING:
        data = [link_of(handle).operate('data', handle)]
    return data[0] if type(data[0]) is looks else refuse(handle)


def is_alike(handle, other):
    """Whether an object of the candidate's equals plain data, whatever its own __eq__ would say."""
    data = data_of(handle, other)
    return data is not NotImplemented and data == other


def text_of(handle, name, *rest):
    if link_of(handle).waiting:
        # Shown while the candidate is at work: it cannot be asked now.
        return '<%s>' % type(handle).__name__
    text = link_of(handle).operate(name, handle, *rest)
    if type(text) is not str:
        raise TypeError('%s returned no text' % name)
    return text


def iter_over(source):
    link = source._mendloop_link
    iterator = link.operate('iter', source)
    return iter(iterator) if not isinstance(iterator, Handle) else steps(link, iterator)


def steps(link, iterator):
    while True:
        item = link.operate('next', iterator)
        if item is link.STOP:
            return
        yield item


# Isinstance looks at this where the real class says no: a program's own kind of list is a list to the tests.
LOOKS = {
    'generator': types.GeneratorType,
    'async_generator': types.AsyncGeneratorType,
    'module': types.ModuleType,
}
UNCHANGING = (int, float, complex, str, bytes, tuple, frozenset)
NUMBERS = (int, float, complex)
EXACT = (*NUMBERS, str, bytes, bytearray, list, tuple, set, frozenset, dict)


class StandInModule(types.ModuleType):
    """Stands for one of the candidate's modules."""

    def __init__(self, name, link, number, names, path):
        super().__init__(name)
        self.__dict__.update(
            _mendloop_link=link, _mendloop_number=number, _mendloop_names=names, __file__=path
        )

    def __getattr__(self, name):
        if name == '__all__':
            return self._mendloop_names
        if is_dunder(name) and name not in READABLE:
            raise AttributeError('module %r has no attribute %r' % (self.__name__, name))
        return self._mendloop_link.get(self._mendloop_number, name, None)

    def __setattr__(self, name, value):
        # The import machinery binds submodules and its own names; everything else is for the candidate.
        if is_dunder(name) or isinstance(value, types.ModuleType):
            super().__setattr__(name, value)
        else:
            self._mendloop_link.ask('set', self, name, value)

    def __delattr__(self, name):
        if name in self.__dict__:
            super().__delattr__(name)
        else:
            self._mendloop_link.ask('delete', self, name)

    def __dir__(self):
        return list(self._mendloop_names)

"""The tables of plain data: how each exact type is written as a tagged tree, and how each tag is read."""

import builtins
import collections
import sys

MUTABLE = {
    list: 'l',
    dict: 'd',
    set: 's',
    bytearray: 'B',
    collections.deque: 'q',
    collections.OrderedDict: 'd',
    collections.Counter: 'd',
    collections.defaultdict: 'd',
}
DICTS = {kind.__name__: kind for kind, tag in MUTABLE.items() if tag == 'd'}
# Classes that mean the same on both sides. No functions: the judge must never be handed `eval` by name.
SHARED_TYPES = {
    kind.__name__: kind
    for kind in (
        int,
        float,
        complex,
        bool,
        str,
        bytes,
        bytearray,
        list,
        tuple,
        set,
        frozenset,
        dict,
        range,
        slice,
        object,
        type(None),
    )
}
SHARED_TYPES.update(
    (name, kind)
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and kind.__name__ == name
)
SHARED_TYPE_NAMES = {kind: name for name, kind in SHARED_TYPES.items()}
# By these, `dataclasses.asdict` and its like tell what a field is.
FIELD_MARKS = {name: name for name in ('_FIELD', '_FIELD_CLASSVAR', '_FIELD_INITVAR', 'MISSING')}
PATHS = {name: name for name in ('PosixPath', 'PurePosixPath')}
SINGLETONS = {'Ellipsis': Ellipsis, 'NotImplemented': NotImplemented}

TUPLE_NAMES = set(vars(collections.namedtuple('Plain', ''))) | {
    '__annotations__',
    '__orig_bases__',
    '__annotate__',
}


def is_plain_namedtuple(kind):
    """True for a namedtuple class that adds nothing of its own, so that data says all there is to it."""
    fields = vars(kind).get('_fields')
    return (
        kind.__bases__ == (tuple,)
        and type(fields) is tuple
        and '_make' in vars(kind)
        and not set(vars(kind)) - TUPLE_NAMES - set(fields)
    )


def _datetime_zone(codec, zone):
    datetime = sys.modules['datetime']
    if zone is None:
        return None
    if type(zone) is datetime.timezone:
        offset = zone.utcoffset(None)
        return ['tz', offset.days, offset.seconds, zone.tzname(None)]
    zoneinfo = sys.modules.get('zoneinfo')
    return ['zi', zone.key] if zoneinfo and type(zone) is zoneinfo.ZoneInfo and zone.key else False


def _write_moment(codec, value, tag, fields):
    zone = _datetime_zone(codec, value.tzinfo)
    return codec.refer(value) if zone is False else [tag, [getattr(value, field) for field in fields], zone]


TIME_FIELDS = ('hour', 'minute', 'second', 'microsecond', 'fold')
DATE_FIELDS = ('year', 'month', 'day')
WRITERS = {
    tuple: lambda codec, value, depth: ['t', codec.items(value, depth)],
    frozenset: lambda codec, value, depth: ['z', codec.items(value, depth)],
    complex: lambda codec, value, depth: ['j', value.real, value.imag],
    bytes: lambda codec, value, depth: ['b', value.hex()],
    range: lambda codec, value, depth: ['r', codec.items((value.start, value.stop, value.step))],
    slice: lambda codec, value, depth: ['sl', codec.items((value.start, value.stop, value.step), depth)],
    type({}.keys()): lambda codec, value, depth: ['dk', codec.items(value, depth)],
    type({}.items()): lambda codec, value, depth: ['di', codec.items(value, depth)],
    type(Ellipsis): lambda codec, value, depth: ['e', 'Ellipsis'],
    type(NotImplemented): lambda codec, value, depth: ['e', 'NotImplemented'],
    **dict.fromkeys(MUTABLE, lambda codec, value, depth: codec.write_container(value, depth)),
}
# Classes of modules that need not be loaded: if they are not, no value of theirs exists.
LATE_WRITERS = {
    ('decimal', 'Decimal'): lambda codec, value, depth: ['D', str(value)],
    ('fractions', 'Fraction'): lambda codec, value, depth: [
        'F',
        codec.items((value.numerator, value.denominator)),
    ],
    ('datetime', 'date'): lambda codec, value, depth: ['da', value.year, value.month, value.day],
    ('datetime', 'timedelta'): lambda codec, value, depth: [
        'td',
        value.days,
        value.seconds,
        value.microseconds,
    ],
    ('datetime', 'time'): lambda codec, value, depth: _write_moment(codec, value, 'ti', TIME_FIELDS),
    ('datetime', 'datetime'): lambda codec, value, depth: _write_moment(
        codec, value, 'dt', DATE_FIELDS + TIME_FIELDS
    ),
    ('uuid', 'UUID'): lambda codec, value, depth: ['u', value.hex],
    ('dataclasses', '_FIELD_BASE'): lambda codec, value, depth: ['df', value.name],
    ('dataclasses', '_MISSING_TYPE'): lambda codec, value, depth: ['df', 'MISSING'],
    **{
        ('pathlib', name): lambda codec, value, depth: ['p', type(value).__name__, str(value)]
        for name in PATHS
    },
}


def late_writer(kind):
    """The writer of a class that is looked up by name, remembered once found."""
    # The package, since a class may say that it lives in a private part of it.
    package = str(kind.__module__).partition('.')[0]
    write = LATE_WRITERS.get((package, kind.__name__))
    home = sys.modules.get(package)
    if write is not None and getattr(home, kind.__name__, None) is kind:
        WRITERS[kind] = write
        return write
    if issubclass(kind, tuple) and is_plain_namedtuple(kind):
        return lambda codec, value, depth: [
            'n',
            codec.tuple_class(kind),
            codec.items(tuple.__iter__(value), depth),
        ]
    return None


def _read_zone(tree):
    from datetime import timedelta, timezone

    if tree is None:
        return None
    if tree[0] == 'tz':
        offset = timedelta(tree[1], tree[2])
        zone = timezone(offset)
        return zone if zone.tzname(None) == tree[3] else timezone(offset, tree[3])
    from zoneinfo import ZoneInfo

    return ZoneInfo(tree[1])


def _read_moment(name, parts, zone):
    return getattr(__import__('datetime'), name)(*parts[:-1], _read_zone(zone), fold=parts[-1])


def _read_dict(codec, number, contents, name, factory):
    container = DICTS[name]()
    if factory is not None:
        container.default_factory = codec.decode(factory)
    return codec.read_container(container, number, contents)


READERS = {
    'i': lambda codec, text: int(text, 16),
    't': lambda codec, items: tuple(codec.values(items)),
    'z': lambda codec, items: frozenset(codec.values(items)),
    'j': lambda codec, real, imaginary: complex(real, imaginary),
    'b': lambda codec, text: bytes.fromhex(text),
    'r': lambda codec, items: range(*codec.values(items)),
    'sl': lambda codec, items: slice(*codec.values(items)),
    'dk': lambda codec, items: dict.fromkeys(codec.values(items)).keys(),
    'di': lambda codec, items: dict(codec.values(items)).items(),
    'e': lambda codec, name: SINGLETONS[name],
    'T': lambda codec, name: SHARED_TYPES[name],
    'n': lambda codec, kind, items: tuple.__new__(codec.read_tuple_class(*kind), codec.values(items)),
    'nt': lambda codec, *kind: codec.read_tuple_class(*kind),
    '@': lambda codec, number: codec.known(number),
    'l': lambda codec, number, items: codec.read_container([], number, items),
    's': lambda codec, number, items: codec.read_container(set(), number, items),
    'B': lambda codec, number, text: codec.read_container(bytearray(), number, text),
    'q': lambda codec, number, items, limit: codec.read_container(
        collections.deque(maxlen=limit), number, items
    ),
    'd': _read_dict,
    'D': lambda codec, text: __import__('decimal').Decimal(text),
    'F': lambda codec, items: __import__('fractions').Fraction(*codec.values(items)),
    'da': lambda codec, *parts: __import__('datetime').date(*parts),
    'td': lambda codec, *parts: __import__('datetime').timedelta(*parts),
    'ti': lambda codec, parts, zone: _read_moment('time', parts, zone),
    'dt': lambda codec, parts, zone: _read_moment('datetime', parts, zone),
    'df': lambda codec, name: getattr(__import__('dataclasses'), FIELD_MARKS[name]),
    'u': lambda codec, text: __import__('uuid').UUID(text),
    'p': lambda codec, name, text: getattr(__import__('pathlib'), PATHS[name])(text),
}

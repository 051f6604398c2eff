"""Values on the wire. Plain data of exact types crosses as itself; containers that can change cross once
and are kept alike on both sides; everything else is left to `refer` and `resolve` of the two ends."""

import collections
import sys
from operator import is_

Broken = load('wire').Broken
plain = load('plain')

MAX_DEPTH = 120
SAFE_INT = 1 << 63
# Beyond this many at once, containers cross as copies.
MAX_CONTAINERS = 5000
# How much is kept alike beyond one call: enough for what tests hold in variables, cheap enough for every
# message.
KEPT_CONTAINERS = 64
KEPT_ITEMS = 256

ATOMS = frozenset((str, bool, float, type(None)))
PRIMITIVES = ATOMS | {int}


def fill_set(container, values):
    """Fills a set, in the order of the other end: of the same values it may be another, by how the set came to be."""
    container.update(values)
    if any(one is not other for one, other in zip(container, values)):
        container.clear()
        container.update(frozenset(values))


def snapshot(container):
    """What a container holds, to be compared by identity later."""
    if isinstance(container, dict):
        return (*container, *container.values())
    return bytes(container) if type(container) is bytearray else tuple(container)


def unchanged(container, seen):
    if type(container) is bytearray:
        return container == seen
    if isinstance(container, dict):
        return 2 * len(container) == len(seen) and all(map(is_, (*container, *container.values()), seen))
    return len(container) == len(seen) and all(map(is_, container, seen))


def references_when_alone():
    """What getrefcount says in `outlived` of a container that nothing else refers to; it differs between
    versions."""
    for entry in [[[], ()]]:
        container = entry[0]
        return sys.getrefcount(container)


ALONE = references_when_alone()


class Codec:
    """Turns values into JSON trees and back. `first` is 1 or 2, so that the numbers of the two ends never
    meet."""

    def __init__(self, first):
        self._next = first
        self._shared = {}  # number -> [container, snapshot]
        self._numbers = {}  # id of container -> number
        self._tuples = {}  # number <-> namedtuple class

    def refer(self, value):
        raise NotImplementedError

    def resolve(self, tree):
        raise NotImplementedError

    def late_writer(self, kind):
        return plain.late_writer(kind)

    def new_number(self):
        self._next += 2
        return self._next

    def encode(self, value, depth=0):
        kind = type(value)
        if kind in ATOMS:
            return value
        if kind is int:
            return value if -SAFE_INT < value < SAFE_INT else ['i', hex(value)]
        if depth >= MAX_DEPTH:
            return self.refer(value)
        write = plain.WRITERS.get(kind) or self.late_writer(kind)
        return self.refer(value) if write is None else write(self, value, depth + 1)

    def items(self, values, depth=0):
        return [
            (
                value
                if (kind := type(value)) in ATOMS or kind is int and -SAFE_INT < value < SAFE_INT
                else self.encode(value, depth)
            )
            for value in values
        ]

    def decode(self, tree):
        if type(tree) in PRIMITIVES:
            return tree
        if type(tree) is not list or not tree or type(tree[0]) is not str:
            raise Broken('not a value')
        read = plain.READERS.get(tree[0])
        return self.resolve(tree) if read is None else read(self, *tree[1:])

    def values(self, trees):
        if type(trees) is not list:
            raise Broken('not a list of values')
        return [tree if type(tree) in PRIMITIVES else self.decode(tree) for tree in trees]

    # -- containers that are kept alike -------------------------------------------------------------

    def write_container(self, container, depth):
        number = self._numbers.get(id(container))
        if number is not None:
            return ['@', number]
        number = 0
        if len(self._shared) < MAX_CONTAINERS:
            number = self.new_number()
            self._keep(number, container)
            self._shared[number][1] = snapshot(container)
        extra = []
        if type(container) is collections.deque:
            extra = [container.maxlen]
        elif isinstance(container, dict):
            factory = self.encode(getattr(container, 'default_factory', None), depth)
            extra = [type(container).__name__, factory]
        return [plain.MUTABLE[type(container)], number, self._contents(container, depth), *extra]

    def read_container(self, container, number, contents):
        if type(number) is not int or number in self._shared:
            raise Broken('not a new container')
        if number:
            self._keep(number, container)
        self._fill(container, contents)
        if number:
            self._shared[number][1] = snapshot(container)
        return container

    def known(self, number):
        return self._shared[number][0]

    def changes(self):
        """What changed on this side since both were last alike."""
        found = []
        for number, entry in list(self._shared.items()):
            if not unchanged(*entry):
                entry[1] = snapshot(entry[0])
                found.append([number, self._contents(entry[0], 1)])
        return found

    def apply(self, changes):
        """Takes over what changed on the other side; true when something did."""
        for number, contents in changes:
            entry = self._shared[number]
            self._fill(entry[0], contents)
            entry[1] = snapshot(entry[0])
        return bool(changes)

    def outlived(self):
        """Numbers of containers that nobody here can reach any more, or that are too many or too large to
        watch."""
        gone = []
        excess = len(self._shared) - KEPT_CONTAINERS
        for number, entry in self._shared.items():
            container = entry[0]
            if excess > 0 or len(container) > KEPT_ITEMS or sys.getrefcount(container) <= ALONE:
                gone.append(number)
                excess -= 1
        container = None
        self.forget(gone)
        return gone

    def forget(self, numbers):
        for number in numbers:
            entry = self._shared.pop(number, None)
            if entry is not None:
                self._numbers.pop(id(entry[0]), None)

    def _keep(self, number, container):
        self._shared[number] = [container, ()]
        self._numbers[id(container)] = number

    def _contents(self, container, depth):
        if isinstance(container, dict):
            return [self.items(tuple(container), depth), self.items(tuple(container.values()), depth)]
        return container.hex() if type(container) is bytearray else self.items(tuple(container), depth)

    def _fill(self, container, contents):
        if type(container) is bytearray:
            container[:] = bytes.fromhex(contents)
        elif isinstance(container, dict):
            keys, values = map(self.values, contents)
            container.clear()
            for key, value in zip(keys, values):
                container[key] = value
        else:
            new = self.values(contents)
            container.clear()
            if type(container) is set:
                fill_set(container, new)
            else:
                container.extend(new)

    # -- named tuples: each end has a class of its own for the same number --------------------------

    def tuple_class(self, kind):
        """The number of a plain namedtuple class, with what makes it, when the other end has not seen it."""
        number = self._tuples.get(kind)
        if number is not None:
            return [number]
        number = self.new_number()
        self._tuples[kind], self._tuples[number] = number, kind
        defaults = self.items(kind._field_defaults.values(), 1)
        return [number, kind.__name__, list(kind._fields), defaults]

    def read_tuple_class(self, number, name=None, fields=None, defaults=None):
        if name is None:
            return self._tuples[number]
        if type(number) is not int or number in self._tuples or len(self._tuples) > 2000:
            raise Broken('not a new class')
        kind = collections.namedtuple(name, fields, defaults=self.values(defaults))
        self._tuples[kind], self._tuples[number] = number, kind
        return kind

"""Questions beside the tests' own, by which an object shows whether it means what it answers."""

import operator
import random
import string
import struct

standins = load('standins')
refuse = standins.refuse
chance = random.SystemRandom()
# Numbers are sought within these, whichever number the tests compare with.
INT_LIMIT, FLOAT_LIMIT = 1 << 70, 1e100


def holds(link, container, item, trusted=False):
    """Whether a container of the candidate's holds an item, unless it also claims to hold what nobody can
    have put there. The questions come in any order, so that none is known to be the tests'."""
    link.weak_comparisons += 1
    near, far, beyond = (without(item, group) for group in like(item))
    questions = [item, *near, *far, *beyond]
    chance.shuffle(questions)
    answers = {}
    for one in questions:
        try:
            answer = link.operate('contains', container, one)
        except Exception:
            if one is item:
                raise
            answer = False
        answers[id(one)] = answer
    answer = answers[id(item)]
    if type(answer) is not bool:
        refuse(container, 'was asked what it holds, and the answer is no bool')
    claims = [[answers[id(one)] is True for one in group] for group in (near, far, beyond)]
    everything = all(map(all, claims))
    if answer and (everything or not trusted and any(group and all(group) for group in claims[:2])):
        refuse(container, 'claims to hold whatever it is asked for')
    return answer


def without(item, others):
    return [one for one in others if one != item]


def like(item):
    """Items of the same type and shape; such that are farther off; and such on the other side of zero."""
    kind = type(item)
    if kind is int:
        size = abs(item) + 40
        near = [item + chance.choice((-1, 1)) * chance.randint(1, size) for _ in range(6)]
        far = [chance.randint(2, 1 << bits) + (1 << bits) for bits in (24, 40, 61)]
        return near, far, [-one for one in far]
    if kind is float:
        size = abs(item) + 40
        far = [chance.uniform(1, 2) * 10**power for power in (7, 12, 18)]
        return [item + chance.uniform(-size, size) for _ in range(6)], far, [-one for one in far]
    if kind is str:
        # Of short texts, a program may well hold all there are.
        near = [text_like(item) for _ in range(4)] if len(item) > 2 else []
        return near, [text_like(item or 'a') + text_like('abcdefghij') for _ in range(3)], []
    if kind is bytes:
        near = [chance.randbytes(len(item)) for _ in range(4)] if len(item) > 2 else []
        return near, [chance.randbytes(len(item) + 9) for _ in range(3)], []
    if kind in (tuple, frozenset) and item:
        rows = [[like(part) for part in item] for _ in range(4)]
        near = [kind(chance.choice(pair[0] or pair[1]) for pair in row) for row in rows]
        return near, [kind(chance.choice(pair[1]) for pair in row) for row in rows[:3]], []
    # Of other kinds, there are none that one could make up.
    return [], [text_like('abcdefghijkl') for _ in range(2)], []


def text_like(text):
    """A text with the same sorts of characters in the same places."""
    kinds = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
    return ''.join(
        chance.choice(next((kind for kind in kinds if one in kind), one)) for one in text
    )


def ordered(handle, name, other):
    """How an object of the candidate's and plain data are ordered. The object may not decide that itself: it
    is asked, without a word of `other`, where it stands among all numbers."""
    if handle._mendloop_tainted:
        refuse(handle, 'came where %s was compared' % article(other))
    data = standins.data_of(handle, other)
    if data is not NotImplemented:
        return getattr(operator, name)(data, other)
    link = standins.link_of(handle)
    if type(other) not in (int, float):
        answer = link.operate(name, handle, other)
        if answer is not NotImplemented:
            refuse(handle, 'came where %s was compared' % article(other))
        return answer
    link.weak_comparisons += 1
    return place_of(link, handle, name, other)


def place_of(link, handle, name, other):
    number_at, low, high = (float_at, -key_of(FLOAT_LIMIT), key_of(FLOAT_LIMIT))
    if type(other) is int:
        number_at, low, high = (lambda key: key), -INT_LIMIT, INT_LIMIT

    def is_below(operation, key):
        answer = link.operate(operation, handle, number_at(key))
        if type(answer) is bool:
            return answer is (operation in ('lt', 'le'))
        if answer is NotImplemented:
            raise Unordered
        return refuse(handle, 'was compared with a number, and the answer is no bool')

    firsts = {}
    try:
        for operation in ('lt', 'le', 'gt', 'ge'):
            special = '__%s__' % operation
            if getattr(type(handle), special) is not getattr(object, special):
                firsts[operation] = first_above(lambda key: is_below(operation, key), low, high)
    except Unordered:
        return NotImplemented
    # The first number of which the object is less, and the first of which it is less or equal.
    less = {firsts[one] for one in ('lt', 'ge') if one in firsts}
    equal = {firsts[one] for one in ('le', 'gt') if one in firsts}
    agreed = None not in less | equal and len(less) < 2 and len(equal) < 2
    if not agreed or less and equal and min(less) - min(equal) not in (0, 1):
        refuse(handle, 'came where %s was compared, and has no place among numbers' % article(other))
    if other != other:
        return False
    key = other if type(other) is int else key_of(other)
    return (key >= firsts[name]) is (name in ('lt', 'le'))


class Unordered(Exception):
    """The object does not compare itself with numbers."""


def first_above(is_below, low, high):
    """The first key that the object is below; None where it is below all or none."""
    if is_below(low) or not is_below(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if is_below(middle):
            high = middle
        else:
            low = middle
    return high


def key_of(number):
    """Floats in their order, as integers without gaps."""
    bits = int.from_bytes(struct.pack('>d', abs(number)), 'big')
    return -bits if number < 0 else bits


def float_at(key):
    return struct.unpack('>d', abs(key).to_bytes(8, 'big'))[0] * (-1 if key < 0 else 1)


def article(other):
    return '%s %s' % ('an' if type(other).__name__[0] in 'aeiou' else 'a', type(other).__name__)

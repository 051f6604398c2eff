"""The C library's heap as forks find it: without gaps, since each of them that is used costs a fork a page."""

import ctypes

_libc = ctypes.PyDLL(None)
# From there on memory comes from the kernel by itself.
_LARGEST_BYTES = 64 * 1024
# Smaller ones are kept by size, a few of each.
_SMALL_BYTES = 1040
# Not counted as free, though it is: at most seven blocks of each small size.
_KEPT_BYTES = 7 * 64 * _SMALL_BYTES // 2
# Of both kinds, in the number of bytes that are counted.
_COUNTS = (('mallinfo2', ctypes.c_size_t), ('mallinfo', ctypes.c_int))


def settle():
    """Gives memory that is free back to the kernel, which then need not pass it on in each fork, and takes what
    is left of it between what is in use: what a fork allocates then lies side by side."""
    if not hasattr(_libc, 'malloc_trim'):
        return
    _libc.malloc_trim(0)
    counts = _counts()
    if counts is not None:
        free, at_end = counts
        _libc.sbrk.restype, _libc.sbrk.argtypes = ctypes.c_void_p, [ctypes.c_ssize_t]
        _fill_below(_libc.sbrk(0) - at_end, free - at_end + _KEPT_BYTES)


def _counts():
    """Free bytes of the heap, and those of them at its end; None where the library does not tell."""
    for name, number in _COUNTS:
        if hasattr(_libc, name):
            ask = _libc[name]
            ask.restype = type('Counts', (ctypes.Structure,), {'_fields_': [('all', number * 10)]})
            return ask().all[8:10]
    return None


def _fill_below(top, most):
    malloc, free = _libc['malloc'], _libc['free']
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    for size in _sizes():
        block = malloc(size)
        # Another library's `malloc` may take no notice of this end.
        while block is not None and block < top and most > 0:
            most -= size
            block = malloc(size)
        free(block)


def _sizes():
    """Large ones first: they take few blocks."""
    size = _LARGEST_BYTES
    while size > _SMALL_BYTES:
        yield size
        size = size * 3 // 4
    yield from range(_SMALL_BYTES - 8, 8, -16)

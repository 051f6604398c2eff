"""What an error that nobody caught says that there was too little of."""

import _thread
import errno
import mmap
import resource

# As a supervisor is told it; 0: of nothing.
MEMORY, PROCESSES = 1, 2
_NO_THREAD = ("can't start new thread",)
_THREAD_STARTS = {'start_new_thread', '_start_new_thread', '_start_joinable_thread'}
_STARTS = {
    *_THREAD_STARTS,
    *('fork', 'forkpty', 'fork_exec', '_fork_exec', 'posix_spawn', 'posix_spawnp'),
}
# Of a stack, where neither the program nor the system says anything else.
_USUAL_STACK_BYTES, _NO_STACK_BYTES = 8 << 20, 1 << 40


def shortage_of(error):
    """MEMORY, PROCESSES or 0; asked for while what the error has met is still there."""
    if isinstance(error, MemoryError):
        return MEMORY
    kind = type(error)
    if kind is RuntimeError and error.args == _NO_THREAD and _was_raised_by(_THREAD_STARTS, error):
        # The system has the same word for both.
        return PROCESSES if _has_room_for_stack() else MEMORY
    if kind is BlockingIOError and _was_raised_by(_STARTS, error):
        # What a pipe cannot take is told alike.
        return PROCESSES
    if kind is OSError and error.errno == errno.ENOMEM and _was_raised_by(_STARTS, error):
        return MEMORY
    return 0


def _was_raised_by(calls, error):
    """True when the last frame of it makes one of these calls."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and not calls.isdisjoint(last.tb_frame.f_code.co_names)


def _has_room_for_stack():
    """Whether one more thread would have found memory for its stack."""
    try:
        mmap.mmap(-1, _stack_bytes(), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, MemoryError):
        return False
    return True


def _stack_bytes():
    own = _thread.stack_size()
    if own:
        return own
    usual = resource.getrlimit(resource.RLIMIT_STACK)[0]
    return usual if 0 < usual < _NO_STACK_BYTES else _USUAL_STACK_BYTES

"""Shuts the candidate's process off from the judge's, says whether that worked, and becomes the candidate's Node."""

import errno
import os
import signal
import sys

# The end of the wire on which the judge waits for the answer.
ANSWERS = 4


def main(setup):
    confine = load('confine')
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    confine.only_descriptors({0, 1, 2, 3, ANSWERS})
    try:
        private = walled(confine, os.getppid())
    except Exception as error:
        sys.stderr.write('the judge stays in reach of the program: %r\n' % (error,))
        private = False
    # Python ignores these two, and what is ignored stays so.
    for name in ('SIGPIPE', 'SIGXFSZ'):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    os.write(ANSWERS, b'P' if private else b'S')
    os.execv(setup['argv'][0], setup['argv'])


def walled(confine, judge):
    """Walls first, then the proof: whether this process can still look into the judge's."""
    confine.drop_powers()
    landlock = load('landlock')
    abi = landlock.version()
    if abi > 0:
        # Nothing is forbidden but what lies outside: processes that are not within these walls.
        landlock.enter(landlock.ruleset(abi, {'/': landlock.file_rights(abi)}, True))
    return not reaches(judge)


def reaches(judge):
    import ctypes

    try:
        os.close(os.open('/proc/%d/mem' % judge, os.O_RDONLY))
        return True
    except OSError:
        pass
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(8)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
    remote = (ctypes.c_void_p * 2)(0, 8)
    # The right to read is asked for before the address is looked at.
    return libc.process_vm_readv(judge, local, 1, remote, 1, 0) >= 0 or ctypes.get_errno() != errno.EPERM

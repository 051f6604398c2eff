"""The fork runner: starts a confined process for each execution that the host asks for.

It is two processes: the desk, which everything passes through, and the zygote, which all others come from.
"""

import gc
import os
import sys

descriptors = load('descriptors')
heap = load('heap')
line = load('line')
settings_of = load('settings')
system = load('system')


def main(setup):
    """Serves the host until it is gone; never returns."""
    settings = settings_of.settings_of(setup)
    system.set_dumpable(False)
    incoming, outgoing = descriptors.arrange(settings)
    if settings['runnerFilter']:
        system.refuse_new_privileges()
        settings['runnerFilter'].put_on()
    settings_of.decide(settings)
    ours, theirs = line.pair()
    # A collection would copy the pages of all that is here now.
    gc.collect()
    heap.settle()
    gc.freeze()
    # Before anything of an execution has been read.
    pid = os.fork()
    if pid == 0:
        ours.close()
        os.close(incoming)
        os.close(outgoing)
        _be_zygote(settings, theirs)
    else:
        theirs.close()
        _be_desk(settings, incoming, outgoing, load('forks').Forks(pid, ours))
    os._exit(0)


def _be_desk(settings, incoming, outgoing, forks):
    # What a supervisor leaves behind that was itself killed comes here, and the zygote when it moves.
    system.adopt_orphans()
    desk = load('desk')
    one = desk.Desk(settings, incoming, outgoing, forks)
    try:
        one.serve()
    except (desk.HostGone, BrokenPipeError):
        pass
    except BaseException as error:
        # A fault of ours: told on stderr, and nothing stays behind.
        sys.excepthook(type(error), error, error.__traceback__)
    one.pool.end()


def _be_zygote(settings, end):
    program = load('program')
    kept = run = None
    try:
        load('zygote').main(settings, end)
    except program.Unwound as unwound:
        # In a fork, which has become a program. What the zygote's calls hold is kept: to let go takes long.
        kept = unwound
        run = unwound.run
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    if run is not None:
        run()
    del kept

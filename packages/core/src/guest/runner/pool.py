"""The supervisors of a runner: one for each execution, some done with theirs, some forked ahead."""

import os
import time

forking = load('forking')
limits = load('limits')
processes = load('processes')
tidying = load('tidying')

_GOODBYE_SECONDS = 2.0
_MOST_IDLE = 4


class Pool:
    """Hands them out and takes them back."""

    def __init__(self, settings, forks, do_beside):
        self._settings = settings
        self._do_beside = do_beside
        self._forks = forks
        self._all = []  # until they have been waited for
        self._leaving = []  # places that are being removed
        self._idle = []  # each with a program forked ahead, or about to
        self._spares_wanted = 0
        self.spare_failure = None  # words, when one could not be forked

    def take(self, asked):
        """One that waits, or a new one; it has been asked then."""
        # Nobody is told of the death of one that waits.
        self.reap()
        packages = self._forks.packages_of(asked.is_python)
        while self._idle:
            # The one that has waited longest is surely ready.
            process = self._idle.pop(0)
            is_stale = asked.is_python and process.packages != packages
            if process.is_gone or is_stale or not process.is_waiting:
                process.dismiss()
                continue
            try:
                process.ask(asked)
                return process
            except OSError:
                process.dismiss()
        process = self._fork(asked.is_python)
        try:
            process.ask(asked)
        except OSError:
            process.dismiss()
            raise
        return process

    def give_back(self, process, is_used_up):
        """Its execution is over."""
        # What is forked by an older one lacks what has been imported since.
        is_current = process.packages == self._forks.packages_of(False)
        has_room = len(self._idle) < max(_MOST_IDLE, self._spares_wanted)
        if process.reusable and not is_used_up and is_current and has_room:
            process.on_failure = None
            self._idle.append(process)
        else:
            process.dismiss()

    def keep_spares(self, wanted):
        """Has so many waiting, with what is imported now."""
        self._spares_wanted, self.spare_failure = wanted, None
        while self._idle:
            self._idle.pop().dismiss()
        while self.lacks_spares:
            self.add_spare()

    def renew_spares(self):
        """Forks them anew."""
        self.keep_spares(self._spares_wanted)

    @property
    def lacks_spares(self):
        """True when there are fewer than wanted."""
        return len(self._idle) < self._spares_wanted

    def add_spare(self):
        """Has one forked ahead."""
        try:
            spare = self._fork(True)
        except OSError as error:
            self._do_without_spares(error.strerror)
            return
        self._idle.append(spare)
        spare.on_failure = lambda failure: self._on_lost_spare(spare, failure[0])

    def _on_lost_spare(self, spare, words):
        if spare in self._idle:
            self._idle.remove(spare)
            spare.dismiss()
        self._do_without_spares(words)

    def _do_without_spares(self, words):
        self._spares_wanted, self.spare_failure = len(self._idle), words

    def _fork(self, is_python):
        process = forking.Process(self._forks, self._settings, is_python)
        self._all.append(process)
        return process

    @property
    def counts_apart(self):
        """True when the kernel counts the processes of each execution by themselves."""
        return self._settings['confinement'] == 'namespaces'

    def others(self):
        """Processes that count into an execution's limit and are not its own."""
        if self.counts_apart:
            # Its supervisor, which is the first process of its namespace.
            return 1
        # Each supervisor has a process of its program; that of this one is its own.
        here = 2 * len(self._all)
        anew = 0 if self._idle else 2
        # The desk and the zygote.
        others = 2 if self._settings['ownUid'] else limits.others_of_user(here)
        return others + here + anew - 1

    # -- their ends -----------------------------------------------------------------------------------

    @property
    def awaits_ends(self):
        """True when some have been let go and not been waited for."""
        return any(process.dismissed for process in self._all)

    def reap(self):
        """Waits for those that have ended, and for orphans of theirs."""
        while not self._forks.forking:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            for one in (self._forks, *self._all):
                if one.pid == pid:
                    one.waited_for()
        over = [process for process in self._all if process.is_over]
        if over:
            self._all = [process for process in self._all if process not in over]
            for process in over:
                self.clear(process)

    def settle(self):
        """Waits until each process that is there is known."""
        self._forks.settle()

    def sweep(self):
        """Ends what a supervisor left that was killed; true when some of it could not be ended."""
        self.settle()
        self.reap()
        return processes.sweep({one.pid for one in (self._forks, *self._all)})

    def clear(self, process):
        """Removes the workspace of a supervisor that has ended, between what else is to be done."""
        if process.has_used_place:
            self._leaving.append(process.place)
            self._do_beside(self._removing(process.place))

    def _removing(self, place):
        yield from tidying.removing(place)
        self._leaving.remove(place)

    def end(self):
        """Ends all executions and all processes."""
        self._do_beside = _do_now
        self._forks.end()
        for process in self._all:
            process.kill()
            process.dismiss()
        deadline = time.monotonic() + _GOODBYE_SECONDS
        self.reap()
        # Of what the zygote did not live to tell of the number is not known.
        while any(process.pid is not None for process in self._all) and time.monotonic() < deadline:
            time.sleep(0.001)
            self.reap()
        killed = list(self._all)
        for process in killed:
            process.kill_at_once()
        if killed:
            self.sweep()
        for process in killed:
            self.clear(process)
        for place in list(self._leaving):
            _do_now(self._removing(place))
        if self._settings.get('removeFreshRoot'):
            tidying.remove_all(self._settings['freshRoot'])


def _do_now(steps):
    for _ in steps:
        pass

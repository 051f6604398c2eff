"""The supervisors of a runner: one for each execution, some done with theirs, some forked ahead."""

import os
import time

forking = load('forking')
limits = load('limits')
place = load('place')
processes = load('processes')
removal = load('removal')

_GOODBYE_SECONDS = 2.0
_MOST_IDLE = 4
_MOST_BYTES_FOR_SPARE = 1 << 20


class Pool:
    """Hands them out and takes them back."""

    def __init__(self, settings, forks):
        self._settings = settings
        self._forks = forks
        self._all = []  # until they have been waited for
        self._idle = []
        self._spares, self._spares_wanted = [], 0
        self.spare_failure = None  # words, when one could not be forked

    def take(self, asked):
        """A spare, one that is done with another execution, or a new one; it has been asked then."""
        packages = self._forks.packages_of(asked.is_python)
        if asked.is_python and asked.fresh and asked.size <= _MOST_BYTES_FOR_SPARE:
            # Nobody is told of the death of one that waits.
            self.reap()
            while self._spares:
                process = self._spares.pop(0)
                if process.packages == packages and not process.is_gone and process.order(asked):
                    return process
                _dismiss_spare(process)
        while self._idle:
            process = self._idle.pop()
            if process.packages == packages and process.again(asked):
                return process
            process.dismiss()
        return self._fork(asked)

    def give_back(self, process, is_used_up):
        """Its execution is over."""
        if process.reusable and not is_used_up and len(self._idle) < _MOST_IDLE:
            self._idle.append(process)
        else:
            process.dismiss()

    def keep_spares(self, wanted):
        """Has so many forked ahead, with what is imported now."""
        self._spares_wanted, self.spare_failure = wanted, None
        while self._spares:
            _dismiss_spare(self._spares.pop())
        while self.lacks_spares:
            self.add_spare()

    def renew_spares(self):
        """Forks them anew."""
        self.keep_spares(self._spares_wanted)

    @property
    def lacks_spares(self):
        """True when there are fewer than wanted."""
        return len(self._spares) < self._spares_wanted

    def add_spare(self):
        """Has one forked ahead."""
        try:
            spare = self._fork(None)
        except OSError as error:
            self._do_without_spares(error.strerror)
            return
        self._spares.append(spare)
        spare.on_failure = lambda failure: self._on_lost_spare(spare, failure[0])

    def _on_lost_spare(self, spare, words):
        if spare in self._spares:
            self._spares.remove(spare)
            _dismiss_spare(spare)
        self._do_without_spares(words)

    def _do_without_spares(self, words):
        self._spares_wanted, self.spare_failure = len(self._spares), words

    def _fork(self, asked):
        process = forking.Process(self._forks, self._settings, asked)
        self._all.append(process)
        return process

    def others(self, asked):
        """Processes that count into an execution's limit and are not its own."""
        if asked.limits.get('processes') is None:
            return 0
        if self._settings['confinement'] == 'namespaces':
            # Its supervisor, which is the first process of its namespace.
            return 1
        forked_anew = not self._idle
        if self._settings['ownUid']:
            # The desk and the zygote.
            return 2 + len(self._all) + forked_anew
        return limits.processes_of_user() + forked_anew

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
        self._all = [process for process in self._all if not process.is_gone]

    def settle(self):
        """Waits until each process that is there is known."""
        self._forks.settle()

    def sweep(self):
        """Ends what a supervisor left that was killed; true when some of it could not be ended."""
        self.settle()
        self.reap()
        return processes.sweep({one.pid for one in (self._forks, *self._all)})

    def place_of(self, process):
        """Where a program of this supervisor with a fresh workspace works."""
        return place.Place(self._settings, True, process.name)

    def clear(self, process):
        """Removes the workspace of a supervisor that was killed."""
        self.place_of(process).remove(surely=True)

    def end(self):
        """Ends all executions and all processes."""
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
        if self._settings.get('removeFreshRoot'):
            removal.remove(self._settings['freshRoot'])


def _dismiss_spare(spare):
    spare.close_pipes()
    spare.dismiss()

"""The supervisors of a runner: one for each execution, some done with theirs, some forked ahead."""

import os
import time

forking = load('forking')
limits = load('limits')
packages = load('packages')
place = load('place')
processes = load('processes')
workspace = load('workspace')

_GOODBYE_SECONDS = 2.0
_MOST_IDLE = 4
_MOST_BYTES_FOR_SPARE = 1 << 20


class Pool:
    """Hands them out and takes them back."""

    def __init__(self, settings):
        self._settings = settings
        self._all = {}  # by process id, until it has been waited for
        self._idle = []
        self._spares, self._spares_wanted = [], 0

    def take(self, asked, payload):
        """A spare, one that is done with another execution, or a new one; it has been asked then."""
        if asked.is_python and asked.fresh and len(payload) <= _MOST_BYTES_FOR_SPARE:
            while self._spares:
                process = self._spares.pop(0)
                if process.order(asked, payload):
                    return process
                process.dismiss()
        while self._idle:
            process = self._idle.pop()
            if process.packages == packages.version() and process.again(asked, payload):
                return process
            process.dismiss()
        return self._fork(asked)

    def give_back(self, process, leftover):
        """Its execution is over."""
        if process.reusable and not leftover and len(self._idle) < _MOST_IDLE:
            self._idle.append(process)
        else:
            process.dismiss()

    def keep_spares(self, wanted):
        """Forks so many ahead, with what is imported now."""
        self._spares_wanted = wanted
        while self._spares:
            spare = self._spares.pop()
            spare.close_pipes()
            spare.dismiss()
        while self.lacks_spares:
            self.add_spare()

    @property
    def lacks_spares(self):
        """True when there are fewer than wanted."""
        return len(self._spares) < self._spares_wanted

    def add_spare(self):
        """Forks one ahead."""
        self._spares.append(self._fork(None))

    def _fork(self, asked):
        self._settings['packages'] = packages.version()
        process = forking.Process(self._settings, os.urandom(8).hex(), asked)
        self._all[process.pid] = process
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
            return 1 + len(self._all) + forked_anew
        return limits.processes_of_user() + forked_anew

    # -- their ends -----------------------------------------------------------------------------------

    @property
    def awaits_ends(self):
        """True when some have been let go and not been waited for."""
        return any(process.dismissed for process in self._all.values())

    def reap(self):
        """Waits for those that have ended, and for orphans of theirs."""
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            process = self._all.pop(pid, None)
            if process is not None:
                process.pid = None

    def sweep(self):
        """Ends what a supervisor left that was killed; true when some of it could not be ended."""
        self.reap()
        return processes.sweep(set(self._all))

    def clear(self, process):
        """Removes the workspace of a supervisor that was killed."""
        place.Place(self._settings, True, process.name).remove(surely=True)

    def end(self):
        """Ends all executions and all supervisors."""
        for process in self._all.values():
            process.kill()
            process.dismiss()
        deadline = time.monotonic() + _GOODBYE_SECONDS
        while self._all and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.001)
        killed = list(self._all.values())
        for process in killed:
            process.kill_at_once()
        if killed:
            self.sweep()
        for process in killed:
            self.clear(process)
        if self._settings.get('removeFreshRoot'):
            workspace.remove(self._settings['freshRoot'])

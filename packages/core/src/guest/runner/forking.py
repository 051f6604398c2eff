"""A supervisor as the desk holds it: its line, its program's pipes, and the orders that it is given."""

import os
import signal

line = load('line')
place = load('place')
request = load('request')
system = load('system')

_MOST_BYTES_ON_LINE = 1 << 15


class Process:
    """Forked when the zygote gets to it. `input`, `output`, `errors`: other ends of the pipes of its
    program."""

    def __init__(self, forks, settings, is_python):
        """What it is asked for may lie on its line before it is there."""
        name = os.urandom(8)
        # Where fresh workspaces are folders, and whether it has been used.
        self.place = place.Place(settings, True, name.hex())
        self.has_used_place = False
        # Forked anew it has what has been imported meanwhile.
        self.packages = forks.packages_of(is_python)
        self.ends_with_supervisor = settings['confinement'] == 'namespaces'
        self.dismissed = False
        self._forks = forks
        # Called with (words, name or None) when it could not be forked after all.
        self.on_failure = None
        self._signals = []
        self._awaits_fork = True
        self._was_signalled = False
        self.input = self.output = self.errors = None
        # To be closed for those that come from it, so that there is room.
        self.spare = []
        # What it was asked for, as long as it is needed.
        self._asked = self._body = None
        self._needs_body = False
        self.pid = None
        self.line, theirs = line.pair()
        try:
            line.send(self.line, line.NAME, name)
            forks.fork(is_python, theirs, self._on_forked)
        except OSError:
            self.dismiss()
            raise

    def ask(self, asked):
        """Asks for an execution. What is long travels as a file in memory; no supervisor reads any of it."""
        given = ()
        try:
            given = self._open(asked)
            parts = asked.parts()
            if self._awaits_fork or sum(map(len, parts)) > _MOST_BYTES_ON_LINE:
                # As long as it waits it can be taken back.
                self._body = system.memory_file('execution')
                for part in parts:
                    system.write_all(self._body, part)
                line.send(self.line, line.BEGIN, b'', (*given, self._body))
            else:
                line.send(self.line, line.BEGIN, b''.join(parts), given)
        except OSError:
            self.close_pipes()
            self.forget_asked()
            raise
        finally:
            _close(given)
        self.has_used_place = self.has_used_place or asked.fresh and not self.ends_with_supervisor
        self._asked = asked if asked.collect is not None and self._body is None else None
        self._needs_body = asked.collect is not None
        self._forget_needless_body()

    def asked_again(self):
        """What it was asked for, once more, when that is to be collected."""
        asked = request.Request.read(system.read_whole(self._body)) if self._asked is None else self._asked
        self.forget_asked()
        return asked

    def _open(self, asked):
        """All of its pipes, or none: the program's ends are returned."""
        opened = []
        try:
            opened += os.pipe() if asked.piped else (os.open(os.devnull, os.O_RDONLY), None)
            opened += os.pipe()
            opened += os.pipe()
            for _ in range(asked.hands_over(self.place.is_bounded)):
                self.spare.append(os.dup(opened[-1]))
        except OSError:
            _close(opened)
            raise
        theirs, self.input, self.output, output, self.errors, errors = opened
        return theirs, output, errors

    def _forget_needless_body(self):
        if not self._needs_body and not self._awaits_fork:
            self.forget_asked()

    def forget_asked(self):
        """Keeps no longer what it was asked for."""
        self._asked = None
        if self._body is not None:
            os.close(self._body)
            self._body = None

    def withdraw(self):
        """Takes back what it has been asked for, while packages are imported and nobody is there yet to do
        it; false when somebody may be."""
        if not self._awaits_fork:
            return False
        if self._forks.withdraw(self._on_forked):
            self._awaits_fork = False
            return True
        if not self._forks.is_importing:
            return False
        os.ftruncate(self._body, 0)
        # Nobody, when this has been answered after all.
        self._forks.on_answer()
        self.kill_at_once()
        return self._awaits_fork

    def _on_forked(self, pid, failure):
        self._awaits_fork = False
        self._forget_needless_body()
        self.pid = pid
        if failure is None:
            for number in self._signals:
                self._signal(number)
        elif self.on_failure is not None:
            self.on_failure(failure)

    def waited_for(self):
        """It has ended, and its number may soon be another's."""
        self.pid = None

    @property
    def is_gone(self):
        """True when it never was, or has been waited for."""
        return self.pid is None and not self._awaits_fork

    @property
    def is_waiting(self):
        """True when nobody has said anything at the other end, which is there."""
        return line.is_silent(self.line)

    @property
    def is_over(self):
        """True when nothing more is wanted of it, and it is gone."""
        return self.dismissed and self.is_gone

    @property
    def reusable(self):
        """True when it may take another execution. A signal that came late would end the wrong one."""
        return not (self._was_signalled or self.is_gone)

    # -- its end --------------------------------------------------------------------------------------

    def kill(self):
        """Has the supervisor end everything and tell how it went."""
        self._signal(signal.SIGTERM)

    def terminate(self):
        """Has the supervisor ask the program to end."""
        self._signal(signal.SIGUSR1)

    def kill_at_once(self):
        """Ends the supervisor itself."""
        self._signal(signal.SIGKILL)

    def _signal(self, number):
        """Its process id is its own until it has been waited for."""
        self._was_signalled = True
        if self._awaits_fork:
            self._signals.append(number)
        elif self.pid is not None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass

    def close_pipes(self):
        """Closes the desk's ends."""
        _close((self.input, self.output, self.errors))
        self.input = self.output = self.errors = None
        self.close_spare()

    def close_spare(self):
        """No more comes from it."""
        _close(self.spare)
        self.spare = []

    def dismiss(self):
        """Lets it end."""
        self.dismissed = True
        self.line.close()
        self.forget_asked()


def _close(descriptors):
    for descriptor in descriptors:
        if descriptor is not None:
            os.close(descriptor)

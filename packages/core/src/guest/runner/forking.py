"""Forks the supervisor of an execution, or asks one that is there already; either way with new pipes."""

import os
import signal

line = load('line')
namespaces = load('namespaces')
program = load('program')
supervisor = load('supervisor')
system = load('system')


class Process:
    """A supervisor, as its runner holds it. `input`, `output`, `errors`: other ends of the program's."""

    def __init__(self, settings, name, asked):
        self.name = name
        # Forked anew it has what the runner has imported meanwhile.
        self.packages = settings['packages']
        self.ends_with_supervisor = settings['confinement'] == 'namespaces'
        self.killed = self.dismissed = False
        self.pid = None
        self.line, theirs = line.pair()
        given = self._open(asked is None or asked.piped)
        try:
            self.pid = namespaces.clone() if self.ends_with_supervisor else os.fork()
        except OSError:
            self.close_pipes()
            raise
        finally:
            if self.pid != 0:
                _close(given)
                theirs.close()
        if self.pid == 0:
            _become_supervisor(settings, name, (*given, theirs.fileno()), asked)

    def _open(self, piped):
        theirs, self.input = os.pipe() if piped else (os.open(os.devnull, os.O_RDONLY), None)
        self.output, output = os.pipe()
        self.errors, errors = os.pipe()
        return theirs, output, errors

    def again(self, asked, payload):
        """Asks a supervisor that is done with another execution; false when it is gone."""
        given = self._open(asked.piped)
        try:
            line.ask(self.line, asked.others, payload, given)
        except OSError:
            self.close_pipes()
            return False
        finally:
            _close(given)
        return True

    def order(self, asked, payload):
        """Tells a spare what to do; false when it is gone."""
        try:
            line.ask(self.line, asked.others, payload)
        except OSError:
            self.close_pipes()
            return False
        return True

    @property
    def reusable(self):
        """True when it may take another execution. A signal that came late would end the wrong one."""
        return not self.ends_with_supervisor and not self.killed and self.pid is not None

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
        self.killed = True
        if self.pid is not None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass

    def close_pipes(self):
        """Closes the runner's ends."""
        _close(one for one in (self.input, self.output, self.errors) if one is not None)

    def dismiss(self):
        """Lets it end."""
        self.dismissed = True
        self.line.close()


def _close(descriptors):
    for descriptor in descriptors:
        os.close(descriptor)


def _become_supervisor(settings, name, given, asked):
    try:
        # The low numbers are kept free for this; see `runner.py`.
        for wanted, descriptor in enumerate(given):
            os.dup2(descriptor, wanted, inheritable=wanted < supervisor.LINE)
        system.close_from(supervisor.FIRST_SLOT + sum(map(len, settings['cgroupSlots'])))
        supervisor.main(settings, name, asked)
    except program.Unwound:
        raise
    except BaseException:
        os._exit(125)

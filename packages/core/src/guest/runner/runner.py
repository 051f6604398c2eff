"""The fork runner: a warm process that starts a confined one for each execution that the host asks for."""

import json
import os
import select
import sys
import time

descriptors = load('descriptors')
execution = load('execution')
frames = load('frames')
packages = load('packages')
pool = load('pool')
program = load('program')
python_program = load('python_program')
reasons = load('reasons')
request = load('request')
settings_of = load('settings')
streams = load('streams')
system = load('system')


class HostGone(Exception):
    """Nobody speaks to the runner any more."""


def main(setup):
    """Serves the host until it is gone; never returns."""
    settings = settings_of.settings_of(setup)
    system.set_dumpable(False)
    incoming, outgoing = descriptors.arrange(settings)
    if settings['runnerFilter']:
        system.refuse_new_privileges()
        settings['runnerFilter'].put_on()
    settings_of.decide(settings)
    if settings['confinement'] != 'namespaces':
        # What a supervisor leaves behind that was itself killed comes here.
        system.adopt_orphans()
    packages.put_away_environment()
    packages.warm_up()
    streams.make_ahead()
    python_program.learn()
    packages.freeze()
    runner = Runner(settings, incoming, outgoing)
    kept = None
    try:
        runner.serve()
    except program.Unwound as unwound:
        # In a fork, which has become a program. What the runner's calls hold is kept: to let go takes long.
        kept = unwound
        run = unwound.run
    except (HostGone, BrokenPipeError):
        run = runner.pool.end
    except BaseException as error:
        # A fault of ours: told on stderr, and nothing stays behind.
        sys.excepthook(type(error), error, error.__traceback__)
        run = runner.pool.end
    run()
    del kept
    os._exit(0)


class Runner:
    """Waits for the host and for all executions at once."""

    def __init__(self, settings, incoming, outgoing):
        self._settings = settings
        self._orders = frames.FrameReader()
        self._poll = select.epoll()
        self._handlers, self._masks = {}, {}
        self._executions = {}
        self._timers = []
        self._was_congested = False
        self.outbox = frames.Outbox(outgoing)
        self.pool = pool.Pool(settings)
        os.set_blocking(incoming, False)
        self.watch(incoming, self._on_host)

    def serve(self):
        """Introduces itself and serves. Raises HostGone or BrokenPipeError at the end."""
        settings = self._settings
        self.outbox.put(frames.MAGIC)
        hello = {
            'protocol': 1,
            'python': settings_of.interpreter(),
            'confinement': settings['confinement'],
            'syscallFilter': settings['syscallFilter'] is not None,
            'landlockAbi': settings['landlockAbi'],
        }
        self.outbox.send(frames.HELLO, 0, frames.encoded(hello))
        while True:
            self._hand_over()
            happened = self._poll.poll(self._patience())
            if not happened and self.pool.lacks_spares:
                self.pool.add_spare()
            for descriptor, events in happened:
                handler = self._handlers.get(descriptor)
                if handler is not None:
                    handler(descriptor, events)
            self._run_timers()
            self.pool.reap()

    # -- the loop -------------------------------------------------------------------------------------

    def watch(self, descriptor, handler, mask=select.EPOLLIN):
        """Calls `handler(descriptor, events)` when something can be done with it."""
        self._handlers[descriptor] = handler
        if self._masks.get(descriptor) == mask:
            return
        if descriptor in self._masks:
            self._poll.modify(descriptor, mask)
        else:
            self._poll.register(descriptor, mask)
        self._masks[descriptor] = mask

    def ignore(self, descriptor):
        """Calls nobody for it any more."""
        if self._masks.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)
            del self._handlers[descriptor]

    def later(self, action, seconds):
        """Calls `action` after a while."""
        self._timers.append((time.monotonic() + seconds, action))

    def _hand_over(self):
        self.outbox.flush()
        if self.outbox.empty:
            self.ignore(self.outbox.descriptor)
        else:
            self.watch(self.outbox.descriptor, lambda *_: None, select.EPOLLOUT)
        if self.outbox.congested != self._was_congested:
            self._was_congested = self.outbox.congested
            for one in list(self._executions.values()):
                one.refresh()

    def _patience(self):
        waits = [at - time.monotonic() for at, _ in self._timers]
        if self.pool.lacks_spares:
            # Not in the time of an execution.
            waits.append(0.01 if self._executions else 0.0005)
        if self.pool.awaits_ends:
            waits.append(0.02)
        return max(0.0, min(waits)) if waits else None

    def _run_timers(self):
        if self._timers:
            now = time.monotonic()
            due = [action for at, action in self._timers if at <= now]
            self._timers = [timer for timer in self._timers if timer[0] > now]
            for action in due:
                action()

    # -- the host -------------------------------------------------------------------------------------

    def _on_host(self, descriptor, _events):
        try:
            data = os.read(descriptor, 1 << 18)
        except BlockingIOError:
            return
        if not data:
            raise HostGone
        for kind, number, payload in self._orders.feed(data):
            self._obey(kind, number, payload)

    def _obey(self, kind, number, payload):
        if kind == frames.EXECUTE:
            self._execute(number, payload)
        elif kind == frames.PREPARE:
            self._prepare(number, payload)
        elif number in self._executions:
            one = self._executions[number]
            if kind == frames.STDIN:
                one.write(payload)
            elif kind == frames.STDIN_END:
                one.end_input()
            elif kind == frames.KILL:
                one.kill()
            elif kind == frames.TERMINATE:
                one.terminate()
            elif kind in (frames.PAUSE, frames.RESUME):
                one.pause(kind == frames.PAUSE)

    def _prepare(self, number, payload):
        loaded, failed = [], {}
        try:
            preparation = json.loads(payload)
            loaded, failed = packages.preload(preparation.get('preload') or ())
            self.pool.keep_spares(preparation.get('spares') or 0)
        except Exception as error:
            failed['spares'], _ = reasons.reason_of(error)
        self.outbox.send(frames.READY, number, frames.encoded({'loaded': loaded, 'failed': failed}))

    def _execute(self, number, payload):
        if number in self._executions:
            return
        try:
            asked = request.Request(payload)
            asked.others = self.pool.others(asked)
            if asked.is_python:
                packages.find()
            process = self.pool.take(asked, payload)
        except Exception as error:
            self.outbox.send(frames.EXIT, number, frames.encoded(reasons.end_of(error)))
            return
        self._executions[number] = one = execution.Execution(self, process)
        one.begin(number, asked.piped)

    def forget(self, number, process, leftover):
        """An execution is over."""
        del self._executions[number]
        self.pool.give_back(process, leftover)

"""The desk of the runner: speaks with the host, and passes on what executions are sent and what they write.

All of their input and output goes through it, so nothing is ever forked from it: see `zygote.py`.
"""

import collections
import json
import os
import select
import time

execution = load('execution')
forks = load('forks')
frames = load('frames')
pool = load('pool')
reasons = load('reasons')
request = load('request')
settings_of = load('settings')
tidying = load('tidying')

# At a time, so that orders and output do not have to wait.
_BESIDE_SECONDS = 0.002


class HostGone(Exception):
    """Nobody speaks to the runner any more."""


class Desk:
    """Waits for the host, for all executions and for the zygote at once."""

    def __init__(self, settings, incoming, outgoing, forks):
        self._settings = settings
        self._orders = frames.FrameReader()
        self._poll = select.epoll()
        self._handlers, self._masks = {}, {}
        self._executions = {}
        self._timers = []
        self._beside = collections.deque()
        # As all executions have been told: what they listen to depends on it.
        self.is_congested = self._has_run_lines = False
        self._forks = forks
        self.outbox = frames.Outbox(outgoing)
        self.pool = pool.Pool(settings, forks, self.do_beside)
        os.set_blocking(incoming, False)
        self.watch(incoming, self._on_host)
        self.watch(forks.descriptor, forks.on_answer)

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
                    self._handle(handler, descriptor, events)
            self._run_timers()
            if self._beside:
                # The host need not wait for what comes now.
                self._hand_over()
                self._work_beside()
            self.pool.reap()

    # -- the loop -------------------------------------------------------------------------------------

    def _handle(self, handler, descriptor, events):
        try:
            handler(descriptor, events)
        except (HostGone, forks.ZygoteGone):
            raise
        except Exception as error:
            give_up = getattr(getattr(handler, '__self__', None), 'give_up', None)
            if give_up is None:
                raise
            # One execution's, and no other's.
            give_up(error)

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

    def do_beside(self, steps):
        """Does something long in `steps`, between what else is to be done."""
        self._beside.append(steps)

    def _work_beside(self):
        until = time.monotonic() + _BESIDE_SECONDS
        while self._beside and not self.outbox.congested and time.monotonic() < until:
            steps = self._beside.popleft()
            try:
                next(steps)
            except StopIteration:
                continue
            self._beside.append(steps)

    def _hand_over(self):
        self.outbox.flush()
        if self.outbox.blocked:
            self.watch(self.outbox.descriptor, lambda *_: None, select.EPOLLOUT)
        else:
            self.ignore(self.outbox.descriptor)
        if self.outbox.congested != self.is_congested:
            self.is_congested = self.outbox.congested
            for one in list(self._executions.values()):
                one.refresh()

    def _patience(self):
        if self._beside and not self.outbox.congested:
            return 0.0
        waits = [at - time.monotonic() for at, _ in self._timers]
        if self.outbox.patience is not None:
            waits.append(self.outbox.patience)
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
                one.input.write(payload)
            elif kind == frames.STDIN_END:
                one.input.end()
            elif kind == frames.KILL:
                one.kill()
            elif kind == frames.TERMINATE:
                one.terminate()
            elif kind in (frames.PAUSE, frames.RESUME):
                one.pause(kind == frames.PAUSE)

    def _prepare(self, number, payload):
        """Everything else goes on while packages are imported."""

        def on_imported(loaded, failed):
            self.pool.keep_spares(wanted)
            self._forks.afterwards(lambda: on_forked(loaded, failed))

        def on_forked(loaded, failed):
            if self.pool.spare_failure is not None:
                failed['spares'] = self.pool.spare_failure
            self.outbox.send(frames.READY, number, frames.encoded({'loaded': loaded, 'failed': failed}))

        try:
            preparation = json.loads(payload)
            names = [str(name) for name in preparation.get('preload') or ()]
            wanted = int(preparation.get('spares') or 0)
        except (AttributeError, TypeError, ValueError) as error:
            failed = {'spares': reasons.reason_of(error)[0]}
            self.outbox.send(frames.READY, number, frames.encoded({'loaded': [], 'failed': failed}))
            return
        self._forks.prepare(names, on_imported)

    def _execute(self, number, payload):
        if number in self._executions:
            return
        try:
            asked = request.Request.asked(payload, self._others)
            process = self.pool.take(asked)
        except forks.ZygoteGone:
            raise
        except Exception as error:
            self.outbox.send(frames.EXIT, number, frames.encoded(reasons.end_of(error)))
            return
        one = execution.Execution(self, process, asked)
        if self._executions:
            one.has_company = True
            for other in self._executions.values():
                other.has_company = True
        self._executions[number] = one
        one.begin(number)

    def _others(self):
        """Processes that count into an execution's limit and are not its own, with those that other
        executions may yet start."""
        others = self.pool.others()
        if self.pool.counts_apart:
            return others
        return others + sum(one.most_processes for one in self._executions.values())

    def run_startup_lines(self):
        """A program had to: from now on each fork has what they did."""
        if not self._has_run_lines:
            self._has_run_lines = True
            self._forks.prepare([], lambda *_: self.pool.renew_spares())

    def forget(self, number, process, is_used_up):
        """An execution is over."""
        del self._executions[number]
        if process.has_used_place and process.reusable and not is_used_up:
            self.do_beside(self._tidying(process))
        else:
            self.pool.give_back(process, is_used_up)

    def _tidying(self, process):
        is_tidy = yield from tidying.steps(process.place)
        self.pool.give_back(process, not is_tidy)

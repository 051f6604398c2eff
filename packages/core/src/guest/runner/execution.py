"""The desk's side of one execution: its pipes, its supervisor, and when it is over."""

import errno
import json
import os
import time

collecting = load('collecting')
ending = load('ending')
frames = load('frames')
inputs = load('inputs')
line = load('line')
outputs = load('outputs')
reasons = load('reasons')

_PIECE_BYTES = 1 << 16


class Execution:
    """Under way from its fork until the host has been sent its EXIT."""

    def __init__(self, desk, process, asked):
        self._desk = desk
        self.most_processes = asked.processes  # 0: any
        self._most_output, self._is_piped = asked.most_output, asked.piped
        # Whether others were under way at the same time.
        self.has_company = False
        self._process = process
        self._number = None
        self._reports = frames.FrameReader()
        self._reports_from = process.line.fileno()
        self.input = self._outputs = None  # once it has begun
        self._end = None
        self._is_killed = False
        self._is_used_up = False
        # Whether what the program leaves is collected.
        self._collects = asked.collect is not None
        self._has_started = self._is_collecting = False
        # Its workspace, open, and what ends when it has become another program.
        self._root = self._watched = None
        self._failure = {}
        self._began = time.monotonic()

    def begin(self, number):
        """Listens to what was forked."""
        self._number = number
        process = self._process
        process.on_failure = self._on_not_forked
        kinds = {process.output: frames.STDOUT, process.errors: frames.STDERR}
        self._outputs = outputs.Outputs(self._desk, number, kinds, self._most_output, self)
        self.input = inputs.Input(self._desk, number, process.input, self)
        if not self._is_piped:
            self.input.close()
        self.refresh()

    # -- orders ---------------------------------------------------------------------------------------

    def kill(self):
        """The supervisor ends everything and reports; when it cannot, it is ended itself."""
        self._is_killed = True
        if self._process.withdraw():
            self._on_death()
            return
        self._process.kill()
        self._desk.later(self._kill_surely, 2.0)

    def terminate(self):
        """The program is asked to end, with what is in its group."""
        self._process.terminate()

    def _kill_surely(self):
        if self._end is None:
            self._process.kill_at_once()

    def pause(self, paused):
        """Leaves its output in the pipes, or takes it again."""
        self._outputs.pause(paused)
        self.refresh()

    def refresh(self):
        """Listens, unless the host has to catch up first."""
        self._outputs.listen()
        if self._end is not None:
            self._drain()
        elif self._desk.is_congested:
            self._desk.ignore(self._reports_from)
        else:
            self._desk.watch(self._reports_from, self._on_report)

    # -- the end --------------------------------------------------------------------------------------

    def _on_report(self, _descriptor=None, _events=0):
        """True when something was read."""
        try:
            # Another's event, when this number was just that of something else: never wait for it.
            data, given = line.receive_some(self._process.line, _PIECE_BYTES, self._process.spare)
        except BlockingIOError:
            return False
        except ConnectionError:
            data, given = b'', None
        if not data:
            self._on_silence()
            return False
        for kind, _, payload in self._reports.feed(data):
            if self._end is not None:
                # There may be a second one, of a kill that came too late.
                break
            if kind == frames.ENDED:
                self._on_end(ending.unpacked(payload))
            elif kind == frames.EXIT:
                self._on_end(json.loads(payload))
            elif kind == frames.NOT_STARTED:
                self._failure = {'how': json.loads(payload)}
            elif kind == frames.STARTED:
                self._tell_start()
            elif kind == frames.ROOT:
                self._root = given
            elif kind == frames.WATCHED and given is None:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            elif kind == frames.WATCHED:
                os.set_blocking(given, False)
                self._watched = given
                self._desk.watch(given, self._on_executed)
        if self._end is not None:
            self._desk.ignore(self._reports_from)
            self._drain()
        return self._end is None

    def _on_executed(self, _descriptor, _events):
        """Another program has started in its process, or could not be: then that has been told by now."""
        try:
            if os.read(self._watched, 1):
                return
        except BlockingIOError:
            # Another's event, when this number was just that of something else.
            return
        while self._on_report():
            pass
        if self._watched is not None:
            self._tell_start()

    def _tell_start(self):
        self._stop_watching()
        if not self._failure:
            self._has_started = True
            self._desk.outbox.send(frames.STARTED, self._number, b'{}', True)

    def _stop_watching(self):
        if self._watched is not None:
            self._desk.ignore(self._watched)
            os.close(self._watched)
            self._watched = None

    def _on_end(self, end):
        if self._watched is not None:
            self._tell_start()
        self._end = end
        self._is_used_up = end.pop('usedUp', False)
        if self.has_company and self.most_processes and not self._desk.pool.counts_apart:
            # One user's processes count together: it may be the others that left it none.
            end.pop('processesRefused', None)
        if end.pop('ranStartupLines', False):
            self._desk.run_startup_lines()
        if self._root is not None and end['how'] != ending.WELL and self._process.ends_with_supervisor:
            end.update({'diskFull': True} if collecting.is_full(self._root) else {})
        if self._failure and self._has_started:
            end['how'] = {'kind': 'lost', 'cause': self._failure['how']['reason']}
        elif self._failure:
            end.update(self._failure)
        if self._collects and self._has_started:
            # What comes now is no longer the program's time.
            self._desk.outbox.send(frames.GONE, self._number, b'{}', True)
            self._is_collecting = True
            self._desk.do_beside(self._collecting())

    def _collecting(self):
        """Collects what the program has left, in steps."""

        def emit(path, size, offset, piece):
            payload = frames.with_header({'path': path, 'sizeBytes': size, 'offset': offset}, piece)
            self._desk.outbox.send(frames.FILE, self._number, payload)

        try:
            asked = self._process.asked_again()
            self._end.update((yield from collecting.steps(self._root, asked, emit, self._is_unwanted)))
        except Exception as error:
            # This execution's end, and no other's.
            cause = 'what it left could not be collected: %s' % reasons.reason_of(error)[0]
            self._end['how'] = {'kind': 'lost', 'cause': cause}
            self._is_used_up = True
        self._is_collecting = False
        self.finish_if_over()

    def _is_unwanted(self):
        return self._is_killed or self._number is None

    def _on_not_forked(self, failure):
        self._desk.ignore(self._reports_from)
        self._end = reasons.end_of(reasons.NotStarted(*failure))
        self._drain()

    def _on_silence(self):
        """The supervisor is gone without a report: somebody has killed it."""
        # Or it has never been: then this is an answer that has not been read yet.
        self._desk.pool.settle()
        if self._end is not None:
            return
        leftover = not self._process.ends_with_supervisor and self._desk.pool.sweep()
        self._on_death(leftover)
        self._desk.pool.clear(self._process)

    def _on_death(self, leftover=False):
        """There is no supervisor to tell how it ended."""
        if self._watched is not None:
            # It may have run.
            self._tell_start()
        self._desk.ignore(self._reports_from)
        self._is_used_up = True
        how = {'kind': 'lost', 'cause': 'its supervisor ended before it could tell how'}
        if self._is_killed:
            how = {'kind': 'signal', 'signal': 'SIGKILL'}
        duration = (time.monotonic() - self._began) * 1000
        self._end = {'how': how, 'durationMs': duration, 'leftover': leftover}
        self._drain()

    def give_up(self, error):
        """Something has gone wrong here that is no other execution's concern."""
        self._process.kill_at_once()
        self._desk.ignore(self._reports_from)
        end = self._end or {'durationMs': (time.monotonic() - self._began) * 1000, 'leftover': False}
        self._end = dict(end, how={'kind': 'lost', 'cause': reasons.reason_of(error)[0]})
        self._is_used_up, self._is_collecting = True, False
        self._outputs.close()
        self.finish_if_over()

    def _drain(self):
        self._outputs.drain()
        self.finish_if_over()

    def finish_if_over(self):
        """Tells the host when all of it has come to its end."""
        if self._end is None or not self._outputs.are_closed or self._is_collecting or self._number is None:
            return
        self.input.close()
        self._process.forget_asked()
        self._process.close_spare()
        self._stop_watching()
        if self._root is not None:
            os.close(self._root)
        self._desk.outbox.send(frames.EXIT, self._number, frames.encoded(self._end))
        number, self._number = self._number, None
        self._process.on_failure = None
        self._desk.forget(number, self._process, self._is_used_up)

"""The judge: splits off the candidate, only then reads the tests, runs them and reports on an output of
its own."""

import json
import os
import signal
import sys
import types

# Beyond this, failures are told in a line each.
MAX_REPORT_BYTES = 4_000_000
# No name that a program or its tests would take.
MODULE = 'mendloop_tests'


class Report:
    """Lines of JSON, each with the secret of this run, on a descriptor that the candidate never had."""

    def __init__(self, descriptor, nonce):
        self._descriptor, self._nonce = descriptor, nonce
        self._left = MAX_REPORT_BYTES
        self.tests = 0

    def line(self, event, **facts):
        data = (json.dumps({'nonce': self._nonce, 'event': event, **facts}) + '\n').encode()
        self._left -= len(data)
        while data:
            data = data[os.write(self._descriptor, data) :]

    def start(self, name):
        if self._left > 0:
            self.line('start', name=name)

    def test(self, name, status, seconds=0, failures=(), reason=''):
        if self._left <= 0:
            failures = [
                {'kind': failure['kind'], 'message': failure['message'][:300]} for failure in failures
            ]
        self.tests += 1
        self.line(
            'test',
            name=name,
            status=status,
            durationMs=round(seconds * 1000, 3),
            failures=list(failures),
            **({'reason': reason} if reason and self._left > 0 else {}),
        )


def main(files, take):
    to_candidate, from_candidate = os.pipe(), os.pipe()
    wire, confine = load('wire'), load('confine')
    load('plain'), load('values'), load('program_files'), load('raised')
    pid = os.fork()
    if pid == 0:
        try:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(2, 1)
            confine.only_descriptors({0, 1, 2, to_candidate[0], from_candidate[1]})
            load('candidate').main(to_candidate[0], from_candidate[1], files['sources'], files['entry'])
        except BaseException as error:
            sys.stderr.write('the program could not be served: %r\n' % (error,))
        finally:
            os._exit(1)
    private = confine.make_private()
    os.close(to_candidate[0])
    os.close(from_candidate[1])
    output = os.dup(1)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The candidate is a process of its own and runs none of the program's code yet: now the tests may be
    # read.
    secret = take()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    report = Report(output, secret['nonce'])
    channel = wire.Channel(from_candidate[0], to_candidate[1], pid)
    status = 70
    try:
        judge(report, channel, files, secret, private)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        end(pid)
        os._exit(status)


def judge(report, channel, files, secret, private):
    channel.send(['hello', []])
    if not private or channel.receive() != ['ok', [], True]:
        report.line('refused', reason='this system cannot keep the judge private from the program')
        return
    try:
        code, tree, rewriter = load('assertions').rewritten(
            secret['tests'].lstrip('\ufeff'), load('lending').TESTS
        )
    except (SyntaxError, ValueError) as error:
        report.line(
            'refused',
            reason='the tests do not parse: %s, line %s'
            % (getattr(error, 'msg', error), getattr(error, 'lineno', None)),
            misuse=True,
        )
        return
    link = load('link').Link(channel)
    link.tests_tree = tree
    finder = load('imports').StandInFinder(link, files['sources'], os.getcwd())
    failures = load('failures').Failures(link, finder, rewriter)
    runner = load('running').Runner(link, finder, report, failures.describe, secret['name'])
    module = sys.modules[MODULE] = sys.modules['__main__'] = types.ModuleType(MODULE)
    assertions = load('assertions')
    wanted = assertions.names_used(tree)
    module.__dict__.update(
        {
            assertions.FAIL: failures.failed_check,
            assertions.REACHED: runner.reached,
            assertions.IMPORT_ALL: lambda name, namespace: finder.import_all(name, namespace, wanted),
        }
    )
    sys.argv = ['tests']
    link.usual_is_now()
    sys.meta_path.insert(0, finder)
    # Should the time run out, it is known in which call.
    channel.on_slow = lambda: report.line('slow', call=failures.pending_call_text())
    report.line('ready')
    runner.run(code, tree, module.__dict__)
    lost = (
        None
        if link.lost is None
        else {'how': link.lost, 'problem': link.problem[:300], 'status': channel.peer_status()}
    )
    report.line(
        'end', tests=report.tests, lost=lost, weakComparisons=link.weak_comparisons, requests=link.requests
    )


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass

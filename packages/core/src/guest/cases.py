"""Runs the methods of a `unittest.TestCase` as unittest does, and reports each like any other test."""

import sys
import time

endings = load('endings')
Skip, skip_reason = endings.Skip, endings.skip_reason
clock = time.perf_counter


def run_cases(runner, name, kind, methods, skipped, expected):
    """Runs them in order.

    skipped: reasons by method, of those that a decorator or a mark skips
    expected: by method, the failure that a mark expects
    """
    unittest = sys.modules['unittest']
    link, report = runner.link, runner.report

    def full(method):
        return '%s.%s' % (name, method)

    class Result(unittest.TestResult):
        # Python 3.12.1 starts no test that is skipped.
        begun = error = None

        def startTest(self, test):
            super().startTest(test)
            if link.held:
                runner.finish(full('setUpClass'), None, 0)
            link.last_call = None
            self.begun, self.error = clock(), None
            report.start(self.named(test))

        def named(self, test):
            return full(getattr(test, '_testMethodName', 'setUpClass'))

        def note(self, test, problem):
            if self.begun is None:
                runner.finish(self.named(test), problem, 0)
            elif self.error is None or skip_reason(self.error) is not None:
                # A skipped part of a test hides no failure of another.
                self.error = problem

        def addError(self, test, info):
            self.note(test, info[1])

        def addFailure(self, test, info):
            self.note(test, info[1])

        def addSubTest(self, test, subtest, info):
            if info is not None:
                self.note(test, info[1])

        def addUnexpectedSuccess(self, test):
            self.note(test, AssertionError('passed, though it was expected to fail'))

        def addSkip(self, test, reason):
            if self.begun is not None:
                self.error = self.error or Skip(reason)
            elif hasattr(test, '_testMethodName'):
                runner.finish(self.named(test), Skip(reason), 0)
                done.add(test._testMethodName)
            else:
                whole.append(Skip(reason))

        def stopTest(self, test):
            super().stopTest(test)
            method = test._testMethodName
            if self.begun is not None:
                runner.finish(full(method), self.error, clock() - self.begun, expected=expected.get(method))
            done.add(method)
            self.begun = self.error = None

    done, whole = set(), []
    if len(skipped) < len(methods):
        suite = unittest.TestSuite(_case(kind, method, skipped.get(method)) for method in methods)
        try:
            suite.run(Result())
        except BaseException as problem:
            if skip_reason(problem) is None:
                raise
            whole.append(problem)
        if link.held:
            runner.finish(full('tearDownClass'), None, 0)
    for method in methods:
        if method not in done:
            reason = skipped.get(method) or next(map(skip_reason, whole), '')
            report.test(full(method), 'not-run', reason=reason)


def _case(kind, method, reason):
    case = kind(method)
    if reason is not None:
        # As its decorator would say it: neither `setUp` nor the method runs.
        def skipped():
            pass

        skipped.__unittest_skip__, skipped.__unittest_skip_why__ = True, reason
        setattr(case, method, skipped)
    return case

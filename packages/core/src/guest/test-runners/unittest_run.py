# Runs test files under unittest. Each file is a module; what becomes of its tests is kept in a sealed report.
import importlib.util
import os
import sys
import time
import traceback
import unittest
import unittest.async_case
import unittest.mock

from sealed_report import Report
from surroundings import prepare, raised_by_program
from test_names import Unusable, names_in
from watched import Watch


def run(orders):
    report = Report(orders.pop("report"), bytes.fromhex(orders.pop("key")))
    root, files = prepare(orders)
    tests = [os.path.join(root, path) for path in orders["tests"]]
    try:
        stand = {path: names_in(path, os.path.relpath(path, root)) for path in tests}
    except Unusable as problem:
        report.problem("misuse", str(problem))
        report.finish()
    watch = Watch({"unittest", "ast"}, files)
    sys.path.insert(0, root)
    sys.argv = ["unittest"]
    result = Result(report, root, files)
    for path in tests:
        shown = os.path.relpath(path, root)
        result.begin(shown + "::" if len(tests) > 1 else "")
        loaded = _load(path, root, report)
        if loaded is None:
            continue
        if watch.tell(report, root):
            break
        cases = list(_each(loaded))
        watch.also(getattr(type(test), test._testMethodName, None) for test in cases)
        if not cases and (orders["named"] or stand[path][1]):
            report.problem("early-exit", "No test of %s was found." % shown)
            continue
        waiting = [result.name(test) for test in cases]
        waiting += [name for name in stand[path][1] if name not in waiting]
        try:
            loaded.run(result)
        except BaseException as error:
            report.problem("early-exit", "The tests were ended before all of them had run (%s)." % type(error).__name__)
        for name in waiting:
            if name in result.seen:
                result.seen.remove(name)
            elif not result.is_excused(name):
                report.problem("early-exit", "The test %s did not run to its end." % (result.start + name))
    watch.tell(report, root)
    report.finish(0 if result.wasSuccessful() else 1)


def _load(path, root, report):
    shown = os.path.relpath(path, root)
    name = os.path.splitext(shown)[0].replace(os.sep, ".")
    folder = os.path.dirname(path)
    if folder not in sys.path:
        sys.path.insert(1, folder)
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return unittest.defaultTestLoader.loadTestsFromModule(module)
    except unittest.SkipTest as skip:
        # Without the frame of this function, which has no file either.
        if not raised_by_program(skip.__traceback__.tb_next, root, [path]):
            report.test(shown, "not-run", 0, "skipped", str(skip))
            return None
        report.test(shown, "fail", *_told(skip))
    except SystemExit as error:
        report.problem("early-exit", "The program ended itself (SystemExit: %s) while %s was loaded." % (error, shown))
    except BaseException as error:
        report.test(shown, "fail", *_told(error))
    return None


def _each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _each(test)
        elif test is not None:
            yield test


class Result(unittest.TestResult):
    """Keeps what unittest tells of each test; the first word on a test that is no pass stays."""

    def __init__(self, report, root, files):
        super().__init__()
        self._report, self._root, self._files = report, root, files
        self._began = 0.0
        self._state = None
        self.begin("")

    def begin(self, start):
        """Of another file nothing has been seen and nothing is excused; `start` tells its tests from those of others."""
        self.start, self.seen, self._excused = start, [], []
        # Otherwise unittest tears the last class and module of the file before down once more.
        self._previousTestClass = None

    @staticmethod
    def name(test):
        return type(test).__name__ + "." + getattr(test, "_testMethodName", str(test))

    def startTest(self, test):
        super().startTest(test)
        self._began, self._state = time.perf_counter(), None
        self._check(test)

    def _check(self, test):
        """A method of unittest's that one test has of its own was put there by the program."""
        for name in vars(test):
            if name.startswith(("assert", "fail", "run", "_call")) and name in vars(unittest.TestCase):
                self._report.problem("denied", "The program replaced %s of %s." % (name, self.start + self.name(test)))

    def stopTest(self, test):
        super().stopTest(test)
        self._check(test)
        status, *told = self._state or ("not-run", "skipped", "it told nothing")
        self.seen.append(self.name(test))
        self._report.test(self.start + self.name(test), status, time.perf_counter() - self._began, *told)
        self._state = None

    def _set(self, *state):
        if self._state is None or (self._state[0] != "fail" and state[0] == "fail"):
            self._state = state

    def addSuccess(self, test):
        super().addSuccess(test)
        self._set("pass")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._failed(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._failed(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._set("fail", *_told(err[1])[1:])

    def _failed(self, test, err):
        if hasattr(test, "_testMethodName"):
            self._set("fail", *_told(err[1])[1:])
        else:
            # The set-up of a class or module; its tests do not run.
            self._report.test(self.start + str(test), "fail", *_told(err[1]))
            self._excuse(str(test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if raised_by_program(sys.exc_info()[2], self._root, self._files):
            return self._failed(test, sys.exc_info())
        if hasattr(test, "_testMethodName"):
            return self._set("not-run", "skipped", reason)
        self._report.test(self.start + str(test), "not-run", 0, "skipped", reason)
        return self._excuse(str(test))

    def _excuse(self, shown):
        """`setUpClass (module.Class)`: none of its tests is waited for; of `setUpModule (module)`, none of the file."""
        if shown.startswith("setUpClass ("):
            self._excused.append(shown.rstrip(")").split(".")[-1] + ".")
        elif shown.startswith("setUpModule ("):
            self._excused.append("")

    def is_excused(self, name):
        """Whether the set-up of its class or module kept a test from running."""
        return any(name.startswith(start) for start in self._excused)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._set("pass")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._set("fail", "assertion", "The test was expected to fail, and passed.", "")


def _told(error):
    kind = "assertion" if isinstance(error, AssertionError) else type(error).__name__
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    message = traceback.format_exception_only(type(error), error)[-1].strip()
    return 0, kind, message, "".join(lines)

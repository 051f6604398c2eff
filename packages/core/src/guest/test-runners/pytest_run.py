# Runs test files under pytest. What pytest is told comes from here alone; what it finds is kept in a sealed report.
import os
import sys
import traceback

from sealed_report import Report
from surroundings import is_programs, prepare, raised_by_program
from test_names import Unusable, is_reported, names_in
from watched import Watch

_FAILED = "The tests failed before the end of the run."


def run(orders):
    report = Report(orders.pop("report"), bytes.fromhex(orders.pop("key")))
    root, files = prepare(orders)
    try:
        import pytest
        from _pytest.config import default_plugins, essential_plugins

        for name in (*essential_plugins, *default_plugins):
            __import__("_pytest." + name)
    except ImportError as error:
        report.problem("absent", "pytest is not installed in the sandbox (%s)" % error)
        report.finish()
    tests = [os.path.join(root, path) for path in orders["tests"]]
    try:
        stand = {path: names_in(path, os.path.relpath(path, root)) for path in tests}
    except Unusable as problem:
        report.problem("misuse", str(problem))
        report.finish()
    plugin = Plugin(report, root, files, len(tests) > 1)
    config = orders["config"]
    arguments = ["-q", "-p", "no:cacheprovider", "--rootdir", root, "-c", os.path.join(root, config) if config else os.devnull]
    if not orders["conftest"]:
        arguments.append("--noconftest")
    sys.argv = ["pytest"]
    try:
        status = int(pytest.main([*arguments, *tests], plugins=[plugin]))
    except BaseException as error:
        report.problem("early-exit", "%s (%s: %s)" % (_FAILED, type(error).__name__, error))
        report.finish()
    plugin.close(status, stand, orders["named"])
    report.finish(status)


class Plugin:
    """Hears of every test from pytest's own hooks."""

    def __init__(self, report, root, files, many):
        self._report, self._root, self._files, self._many = report, root, files, many
        self._watch = self._session = self._plugins = None
        self._finished = self._choosing = False
        self._is_usual = True
        self._collected = []
        self._left_out = set()
        self._closed = set()
        self._waiting = {}
        self._phases = {}

    def pytest_load_initial_conftests(self):
        # Not earlier: what lies in the workspace must not be found as a plugin or in the place of a module; and pytest
        # has by now replaced what it replaces itself.
        sys.path.insert(0, self._root)
        self._watch = Watch({"pytest", "_pytest", "pluggy", "unittest", "ast"}, self._files)

    def pytest_sessionstart(self, session):
        self._session = session
        # Configuration that was handed in may name tests in its own way.
        naming = [("python_functions", "test"), ("python_classes", "Test")]
        self._is_usual = all(list(session.config.getini(name)) == [usual] for name, usual in naming)

    def pytest_collection(self, session):
        # By now pytest has registered its own; the first test file is not yet loaded.
        self._plugins = {id(one) for one in session.config.pluginmanager.get_plugins()}

    def _tell_additions(self):
        """What the program added to pytest: plugins, and its own way to run a test."""
        for one in self._session.config.pluginmanager.get_plugins():
            file = getattr(one, "__file__", None)
            is_conftest = file in self._files and os.path.basename(file) == "conftest.py"
            if self._plugins is not None and id(one) not in self._plugins and not is_conftest:
                self._report.problem("denied", "The program registered a plugin with pytest: %.100r." % (one,))
        for item in getattr(self._session, "items", ()):
            if "runtest" in vars(item):
                self._report.problem("denied", "The program replaced how %s is run." % self._name(item.nodeid))

    def pytest_collectreport(self, report):
        if report.failed or report.skipped:
            self._closed.add(report.nodeid)
        if report.failed:
            error = getattr(report, "mendloop_error", None)
            self._report.test(*_told(report.nodeid or "collection", "fail", 0, error, report.longreprtext))
        elif report.skipped:
            self._report.test(report.nodeid, "not-run", 0, "skipped", _reason(report))

    def pytest_make_collect_report(self, collector):
        report = (yield).get_result()
        error = report.__dict__.get("call") and report.call.excinfo
        if error is not None and error:
            report.mendloop_error = error.value
            if report.skipped and raised_by_program(error.tb, self._root, self._files):
                report.outcome = "failed"

    pytest_make_collect_report.pytest_impl = {"hookwrapper": True}

    def pytest_itemcollected(self, item):
        # Now, since a conftest may give it another name later.
        self._collected.append((item, item.nodeid))

    pytest_itemcollected.pytest_impl = {"tryfirst": True}

    def pytest_collection_modifyitems(self, items):
        before = list(items)
        self._choosing = True
        yield
        self._choosing = False
        kept = {id(item) for item in items}
        for item in before:
            if id(item) not in kept and id(item) not in self._left_out:
                self._leave_out(item, "left out")

    pytest_collection_modifyitems.pytest_impl = {"hookwrapper": True, "tryfirst": True}

    def _leave_out(self, item, reason):
        self._left_out.add(id(item))
        self._report.test(self._name(item.nodeid), "not-run", 0, "skipped", reason)

    def pytest_deselected(self, items):
        # At any other time it is the program that says so.
        for item in items if self._choosing else ():
            self._leave_out(item, "deselected")

    def pytest_collection_finish(self, session):
        for item in session.items:
            self._waiting[item.nodeid] = None
        chosen = self._left_out.union(id(item) for item in session.items)
        for item, nodeid in self._collected:
            if id(item) not in chosen:
                self._report.problem("early-exit", "The test %s was taken out of the run." % self._name(nodeid))
        self._watch.also(getattr(item, "function", None) for item in session.items)
        self._watch.tell(self._report, self._root)

    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        report.mendloop_error = call.excinfo and call.excinfo.value
        # What the tests skip is skipped; the program has no say in it.
        excused = report.skipped and call.excinfo is not None
        if excused and not _is_marked(item, report) and raised_by_program(call.excinfo.tb, self._root, self._files):
            report.outcome = "failed"
            if hasattr(report, "wasxfail"):
                del report.wasxfail

    pytest_runtest_makereport.pytest_impl = {"hookwrapper": True}

    def pytest_runtest_logreport(self, report):
        if report.when not in ("setup", "call", "teardown"):
            return
        phases = self._phases.setdefault(report.nodeid, [])
        phases.append(report)
        if report.when == "teardown":
            self._waiting.pop(report.nodeid, None)
            self._report.test(*self._verdict(report.nodeid, self._phases.pop(report.nodeid)))

    def _verdict(self, nodeid, phases):
        seconds = sum(one.duration for one in phases)
        failed = [one for one in phases if one.failed]
        if failed:
            return _told(self._name(nodeid), "fail", seconds, failed[0].mendloop_error, failed[0].longreprtext)
        skipped = [one for one in phases if one.skipped]
        if skipped and not hasattr(skipped[0], "wasxfail"):
            return self._name(nodeid), "not-run", seconds, "skipped", _reason(skipped[0])
        if skipped and skipped[0].wasxfail.startswith("[NOTRUN]"):
            return self._name(nodeid), "not-run", seconds, "skipped", skipped[0].wasxfail
        ran = skipped or any(one.when == "call" for one in phases)
        return self._name(nodeid), "pass" if ran else "not-run", seconds

    def _name(self, nodeid):
        path, *rest = nodeid.split("::")
        name = ".".join(rest) if rest else path
        return path + "::" + name if self._many and rest else name

    def pytest_sessionfinish(self):
        # Before pytest takes its own replacements back.
        self._watch.tell(self._report, self._root)
        self._tell_additions()
        self._finished = True

    def close(self, status, stand, named):
        if not self._finished:
            self._report.problem("early-exit", "pytest ended with status %d before its session did." % status)
        for nodeid in self._waiting:
            self._report.problem("early-exit", "The test %s did not run to its end." % self._name(nodeid))
        if self._finished:
            for path, (functions, methods) in stand.items():
                self._tell_missing(os.path.relpath(path, self._root).replace(os.sep, "/"), functions + methods, named)
        if status not in (0, 1, 2, 5):
            self._report.problem("early-exit", "pytest ended with status %d." % status)

    def _tell_missing(self, path, names, named):
        """What stands in a file and was not found there, as when another module took its place."""
        if any(one in ("", ".", path) or path.startswith(one + "/") for one in self._closed):
            return
        start = path + "::"
        found = {one[len(start) :].replace("::", "."): item for item, one in self._collected if one.startswith(start)}
        if not found and (named or names):
            self._report.problem("early-exit", "No test of %s was found." % path)
            return
        for name in names if self._is_usual else ():
            items = [item for one, item in found.items() if is_reported(name, [one])]
            if not items and start + name.split(".")[0] not in self._closed:
                self._report.problem("early-exit", "The test %s did not run." % self._name(start + name))
            if any(self._is_programs(item) for item in items):
                self._report.problem("denied", "The program put a test of its own in the place of %s." % name)

    def _is_programs(self, item):
        code = getattr(getattr(item, "function", None), "__code__", None)
        return code is not None and is_programs(code.co_filename, self._root, self._files)


def _is_marked(item, report):
    return any(item.iter_markers("skip")) or any(item.iter_markers("skipif")) or any(item.iter_markers("xfail"))


def _reason(report):
    told = report.longrepr
    return str(told[2] if isinstance(told, tuple) and len(told) == 3 else told)


def _told(name, status, seconds, error, shown):
    if error is None:
        return name, status, seconds, "exception", shown.strip().split("\n")[-1], shown
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    kind = "assertion" if isinstance(error, AssertionError) else type(error).__name__
    message = traceback.format_exception_only(type(error), error)[-1].strip()
    return name, status, seconds, kind, message, "".join(lines)

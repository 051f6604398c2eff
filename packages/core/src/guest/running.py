"""Finds the tests, runs them in order and reports each by name."""

import ast
import sys
import time
import types

standins = load('standins')
lending = load('lending')
Lost = load('link').Lost

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
clock = time.perf_counter


class Runner:
    def __init__(self, link, finder, report, describe, name):
        self._link, self._finder, self._report, self._describe, self._name = (
            link,
            finder,
            report,
            describe,
            name,
        )

    def run(self, code, tree, namespace):
        known = named_tests(tree)
        counts = checks_at_top_level(tree, bool(known))

        def top_level():
            self._finder.refuse_conflicts(tree)
            execute(code, namespace)

        if not self._attempt(self._name, top_level, silent=not counts):
            for name in known:
                self._report.test(name, 'not-run')
            return
        ran = set()
        for name, value in list(namespace.items()):
            if type(value) is types.FunctionType and name.startswith('test_'):
                ran.add(name)
                self._attempt(name, lambda: call_test(name, value))
            elif (
                isinstance(value, type)
                and not isinstance(value, standins.StandInType)
                and value.__module__ == namespace['__name__']
            ):
                ran.update(self._run_class(name, value))
        for name in known:
            if name not in ran:
                # Something else has its name, such as what a decorator of the candidate's made of it.
                self.finish(name, TypeError('%s is no longer the function that the tests define' % name), 0)

    def _run_class(self, name, kind):
        unittest = sys.modules.get('unittest')
        methods = list(
            dict.fromkeys(
                one
                for base in reversed(kind.__mro__)
                for one, value in vars(base).items()
                if one.startswith('test') and callable(value)
            )
        )
        if unittest is not None and issubclass(kind, unittest.TestCase):
            try:
                self._run_cases(unittest, name, kind, methods)
            except BaseException as error:
                # Such as a KeyboardInterrupt of the candidate's, with which unittest gives up.
                self.finish(name, error, 0)
        elif name.startswith('Test'):
            methods = [one for one in methods if one.startswith('test_')]
            for method in methods:
                self._attempt('%s.%s' % (name, method), lambda: call_method(kind, method))
        else:
            return ()
        return ['%s.%s' % (name, method) for method in methods]

    def _attempt(self, name, work, silent=False):
        """Runs one test. A silent one, such as a list of definitions, is reported only when it fails."""
        self._report.start(name)
        begun = clock()
        self._link.swallowed.clear()
        self._link.last_call = None
        error = None
        try:
            work()
        except BaseException as problem:
            error = problem
        return self.finish(name, error, clock() - begun, silent)

    def finish(self, name, error, seconds, silent=False):
        if error is None and self._link.swallowed:
            error = self._link.swallowed[0]
        if error is None and self._link.lost is not None:
            error = Lost(self._link.lost)
        if error is None and silent:
            return True
        lost = isinstance(error, Lost) or error is not None and self._link.lost is not None
        failures = [] if error is None or lost else [self._described(error)]
        self._report.test(name, 'pass' if error is None else 'fail', seconds, failures)
        return error is None

    def _described(self, error):
        try:
            return self._describe(error)
        except BaseException as problem:
            return {
                'kind': 'custom',
                'message': '%s (and the judge could not describe it: %s)'
                % (type(error).__name__, type(problem).__name__),
            }

    def _run_cases(self, unittest, name, kind, methods):
        runner, link, report = self, self._link, self._report

        class Result(unittest.TestResult):
            # Python 3.12.1 starts no test that is skipped.
            begun = error = None
            skipped_now = False

            def startTest(self, test):
                super().startTest(test)
                link.swallowed.clear()
                link.last_call = None
                self.begun, self.error, self.skipped_now = clock(), None, False
                report.start(self.named(test))

            def named(self, test):
                return '%s.%s' % (name, getattr(test, '_testMethodName', 'setUpClass'))

            def note(self, test, problem):
                if self.begun is not None:
                    self.error = self.error or problem
                else:
                    runner.finish(self.named(test), problem, 0)

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
                self.skipped_now = True

            def stopTest(self, test):
                super().stopTest(test)
                if self.skipped_now and self.error is None:
                    report.test(self.named(test), 'not-run')
                else:
                    runner.finish(self.named(test), self.error, clock() - self.begun)
                done.add(test._testMethodName)
                self.begun, self.error, self.skipped_now = None, None, False

        done = set()
        unittest.TestSuite(kind(method) for method in methods).run(Result())
        for method in methods:
            if method not in done:
                report.test('%s.%s' % (name, method), 'not-run')


def execute(code, namespace):
    try:
        exec(code, namespace)
    except SystemExit as error:
        # The tests' own end, such as that of `unittest.main()`, is not the candidate's.
        if hasattr(error, '_mendloop_raised') or error.code not in (None, 0, False):
            raise


def call_test(name, function):
    code = function.__code__
    required = code.co_argcount - len(function.__defaults__ or ())
    if required > 0 and not hasattr(function, '__wrapped__'):
        raise TypeError(
            '%s takes arguments (%s), which only pytest could fill in'
            % (name, ', '.join(code.co_varnames[:required]))
        )
    settle(name, function())


def call_method(kind, name):
    instance = kind()
    for hook in ('setup_method', 'setUp'):
        getattr(instance, hook, int)()
    try:
        settle(name, getattr(instance, name)())
    finally:
        for hook in ('teardown_method', 'tearDown'):
            getattr(instance, hook, int)()


def settle(name, result):
    if isinstance(result, types.CoroutineType):
        lending.run(result)
    elif isinstance(result, types.GeneratorType):
        raise TypeError('%s is a generator, so none of it would run' % name)


def named_tests(tree):
    """Names of the tests that the source defines at its top level."""
    names = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith('test_'):
            names.append(node.name)
        elif isinstance(node, ast.ClassDef) and (node.name.startswith('Test') or _looks_like_case(node)):
            prefix = 'test' if _looks_like_case(node) else 'test_'
            names.extend(
                '%s.%s' % (node.name, one.name)
                for one in node.body
                if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name.startswith(prefix)
            )
    return list(dict.fromkeys(names))


def _looks_like_case(node):
    return any(ast.unparse(base).endswith('TestCase') for base in node.bases)


def checks_at_top_level(tree, has_tests):
    """Whether the top level does anything that could fail, besides defining names."""
    idle = DEFINITIONS + ASSIGNMENTS if has_tests else DEFINITIONS
    return any(
        not isinstance(node, idle)
        and not _is_guard(node)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in tree.body
    )


def _is_guard(node):
    return isinstance(node, ast.If) and '__name__' in ast.unparse(node.test)

"""Finds the tests, runs them in order and reports each by name."""

import inspect
import sys
import time
import types

standins = load('standins')
lending = load('lending')
discovery = load('discovery')
endings = load('endings')
Lost, Misuse = endings.Lost, endings.Misuse

NEVER_RUN = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
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
        known = discovery.named_tests(tree)
        counts = discovery.checks_at_top_level(tree, bool(known))

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
                self.finish(name, no_longer(name), 0)

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
        replaced = [one for one in methods if isinstance(inspected(kind, one), standins.Handle)]
        methods = [one for one in methods if one not in replaced]
        if unittest is not None and issubclass(kind, unittest.TestCase):
            methods = [one for one in methods if self._would_run(unittest, name, kind, one)]
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
        for method in replaced:
            # What a decorator of the candidate's made of a test might do nothing.
            self.finish('%s.%s' % (name, method), no_longer(method), 0)
        return ['%s.%s' % (name, method) for method in (*methods, *replaced)]

    def _would_run(self, unittest, name, kind, method):
        code = getattr(inspected(kind, method), '__code__', None)
        awaits = issubclass(kind, unittest.IsolatedAsyncioTestCase)
        if code is None or not code.co_flags & (NEVER_RUN if awaits else NEVER_RUN | inspect.CO_COROUTINE):
            return True
        full = '%s.%s' % (name, method)
        self.finish(full, Misuse('%s is a generator or coroutine, so none of it would run' % full), 0)
        return False

    def _attempt(self, name, work, silent=False):
        """Runs one test. A silent one, such as a list of definitions, is reported only when it fails."""
        self._report.start(name)
        begun = clock()
        self._link.last_call = None
        error = None
        try:
            work()
        except BaseException as problem:
            error = problem
        return self.finish(name, error, clock() - begun, silent)

    def finish(self, name, error, seconds, silent=False):
        held, self._link.held = self._link.held, []
        # A misuse before all else: whatever came of it is no fault of the program's.
        error = next((one for one in held if isinstance(one, Misuse)), error)
        if error is None and held:
            error = held[0]
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
                if link.held:
                    runner.finish('%s.setUpClass' % name, None, 0)
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
        if link.held:
            self.finish('%s.tearDownClass' % name, None, 0)
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
    refuse_fixtures(name, function)
    settle(name, function())


def refuse_fixtures(name, function, given=0):
    code = function.__code__
    required = code.co_argcount - len(function.__defaults__ or ())
    if required > given and not hasattr(function, '__wrapped__'):
        raise Misuse(
            '%s takes arguments (%s), which only pytest could fill in'
            % (name, ', '.join(code.co_varnames[given:required]))
        )


def inspected(kind, name):
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def no_longer(name):
    return TypeError('%s is no longer the function that the tests define' % name)


def call_method(kind, name):
    if isinstance(inspected(kind, name), types.FunctionType):
        refuse_fixtures(name, inspected(kind, name), given=1)
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
        raise Misuse('%s is a generator, so none of it would run' % name)

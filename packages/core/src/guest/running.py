"""Finds the tests, runs them in order and reports each by name."""

import inspect
import sys
import time
import types

standins = load('standins')
calling = load('calling')
discovery = load('discovery')
marks = load('marks')
run_cases = load('cases').run_cases
inspected, no_longer = calling.inspected, calling.no_longer
endings = load('endings')
Lost, Misuse, Skip, skip_reason = endings.Lost, endings.Misuse, endings.Skip, endings.skip_reason

NEVER_RUN = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
clock = time.perf_counter


class Runner:
    def __init__(self, link, finder, report, describe, name):
        self.link, self.report = link, report
        self._finder, self._describe, self._name = finder, describe, name
        self._marks = None
        self._checked = False

    def reached(self):
        """Called by the tests where they come to a check."""
        self._checked = True

    def run(self, code, tree, namespace):
        known = discovery.named_tests(tree)
        self._marks = marks.Marks(tree, namespace)

        def top_level():
            self._finder.refuse_conflicts(tree)
            calling.execute(code, namespace)

        reason = self._run_top_level(top_level, known)
        if reason is not None:
            for name in known:
                self.report.test(name, 'not-run', reason=reason)
            return
        ran = set()
        for name, value in list(namespace.items()):
            if type(value) is types.FunctionType and name.startswith('test_'):
                ran.add(name)
                self._run_function(name, value, lambda: calling.call_test(name, value))
            elif (
                isinstance(value, type)
                and not isinstance(value, standins.StandInType)
                and value.__module__ == namespace['__name__']
            ):
                ran.update(self._run_class(name, value))
        for name, always in known.items():
            if name not in ran:
                self._miss(name, always, namespace)

    def _run_top_level(self, work, known):
        """None when it ran to its end, otherwise why no test can run. It is a test when it came to a check."""
        error, seconds = self._tried(self._name, work)
        # Beside tests, a call of the program's may prepare them.
        is_test = self._checked or not known and self.link.last_call is not None
        skip = None if error is None else skip_reason(error)
        silent = not is_test and (skip is None or bool(known))
        return None if self.finish(self._name, error, seconds, silent=silent) else skip or ''

    def _miss(self, name, always, namespace):
        owner, _, method = name.partition('.')
        there = namespace.get(owner)
        is_class = isinstance(there, type) and not isinstance(there, standins.StandInType)
        if always or owner in namespace and not (method and is_class):
            # Something else has its name, such as what a decorator of the candidate's made of it.
            self.finish(name, no_longer(name), 0)
        else:
            self.report.test(name, 'not-run', reason='its definition was never reached')

    def _run_function(self, name, function, work, kind=None):
        owners = self._marks.owners(function, kind)

        def unless_skipped():
            self._marks.skip_unless_run(owners)
            nonlocal expected
            expected = self._marks.expected(owners)
            work()

        expected = None
        error, seconds = self._tried(name, unless_skipped)
        self.finish(name, error, seconds, expected=expected)

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
            try:
                self._run_cases(unittest, name, kind, methods)
            except BaseException as error:
                # Such as a KeyboardInterrupt of the candidate's, with which unittest gives up.
                self.finish(name, error, 0)
        elif name.startswith('Test'):
            methods = [one for one in methods if one.startswith('test_')]
            for method in methods:
                self._run_function(
                    '%s.%s' % (name, method),
                    inspected(kind, method),
                    lambda: calling.call_method(kind, method),
                    kind,
                )
        else:
            return ()
        for method in replaced:
            # What a decorator of the candidate's made of a test might do nothing.
            self.finish('%s.%s' % (name, method), no_longer(method), 0)
        return ['%s.%s' % (name, method) for method in (*methods, *replaced)]

    def _run_cases(self, unittest, name, kind, methods):
        skipped, expected, usable = {}, {}, []
        for method in methods:
            owners = self._marks.owners(inspected(kind, method), kind)
            try:
                self._marks.skip_unless_run(owners)
                expected[method] = self._marks.expected(owners, of_case=True)
            except Skip as skip:
                skipped[method] = skip_reason(skip)
            except BaseException as error:
                self.finish('%s.%s' % (name, method), error, 0)
                continue
            if method in skipped or self._would_run(unittest, name, kind, method):
                usable.append(method)
        run_cases(self, name, kind, usable, skipped, expected)

    def _would_run(self, unittest, name, kind, method):
        code = getattr(inspected(kind, method), '__code__', None)
        awaits = issubclass(kind, unittest.IsolatedAsyncioTestCase)
        if code is None or not code.co_flags & (NEVER_RUN if awaits else NEVER_RUN | inspect.CO_COROUTINE):
            return True
        full = '%s.%s' % (name, method)
        self.finish(full, Misuse('%s is a generator or coroutine, so none of it would run' % full), 0)
        return False

    def _tried(self, name, work):
        """Runs one test: what it raised, and the seconds it took."""
        self.report.start(name)
        begun = clock()
        self.link.last_call = None
        error = None
        try:
            work()
        except BaseException as problem:
            error = problem
        return error, clock() - begun

    def finish(self, name, error, seconds, silent=False, expected=None):
        """Reports one test, true when nothing is wrong with it. A silent one, such as a list of definitions, is
        reported only when it fails."""
        held, self.link.held = self.link.held, []
        error = self._finder.import_of_program(error) or error
        # A misuse before all else: whatever came of it is no fault of the program's.
        error = next((one for one in held if isinstance(one, Misuse)), error)
        if held and (error is None or skip_reason(error) is not None):
            error = held[0]
        if self.link.lost is not None and (error is None or skip_reason(error) is not None):
            error = Lost(self.link.lost)
        reason = None if error is None else skip_reason(error)
        if reason is not None:
            if not silent:
                self.report.test(name, 'not-run', seconds, reason=reason)
            return False
        lost = isinstance(error, Lost) or error is not None and self.link.lost is not None
        if expected is not None and not lost:
            error = self._unexpected(error, expected)
        if error is None and silent:
            return True
        failures = [] if error is None or lost else [self._described(error)]
        self.report.test(name, 'pass' if error is None else 'fail', seconds, failures)
        return error is None

    def _unexpected(self, error, expected):
        """What is wrong with a test that should fail."""
        if error is not None:
            return None if expected.covers(error) else error
        return AssertionError('passed, though it was expected to fail') if expected.strict else None

    def _described(self, error):
        try:
            return self._describe(error)
        except BaseException as problem:
            return {
                'kind': 'custom',
                'message': '%s (and the judge could not describe it: %s)'
                % (type(error).__name__, type(problem).__name__),
            }

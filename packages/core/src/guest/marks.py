"""In the judge: what decorators and `pytestmark` say of a test: that it is skipped, or expected to fail."""

import os
import platform
import sys

discovery = load('discovery')
endings = load('endings')


class Expected:
    """A failure that is none: of these types, or of any; `strict` when passing is the failure."""

    def __init__(self, raises, strict):
        self._raises, self.strict = raises, strict

    def covers(self, error):
        if isinstance(error, (endings.Misuse, endings.Lost)):
            return False
        try:
            return self._raises is None or isinstance(error, self._raises)
        except TypeError:
            return False


class Marks:
    """Reads them off the tests. Only pytest's own objects are marks: the program can make none."""

    def __init__(self, tree, namespace):
        self._namespace = namespace
        self._texts = discovery.condition_texts(tree)

    def owners(self, function, kind=None):
        """The attributes of whatever a mark of this test may be on, nearest first."""
        inner = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        bases = () if kind is None else kind.__mro__
        return [getattr(inner, '__dict__', {}), *map(vars, bases), self._namespace]

    def skip_unless_run(self, owners):
        """Raises Skip when the test is marked as one that is not to be run."""
        said = next((owner for owner in owners[:-1] if '__unittest_skip__' in owner), {})
        if said.get('__unittest_skip__') is True:
            raise endings.Skip(endings.reason_text(said.get('__unittest_skip_why__', '')))
        for mark in self._named('skipif', owners):
            if self._holds(mark):
                raise endings.Skip(_reason_of(mark))
        for mark in self._named('skip', owners):
            raise endings.Skip(_reason_of(mark) or endings.reason_text(*mark.args[:1] or ('',)))
        mark = self._xfail(owners)
        if mark is not None and mark.kwargs.get('run', True) is False:
            raise endings.Skip(_reason_of(mark))

    def expected(self, owners, of_case=False):
        """The failure that is expected of a test, if any. unittest sees to its own decorator in its own cases."""
        mark = self._xfail(owners)
        if mark is not None:
            return Expected(mark.kwargs.get('raises'), mark.kwargs.get('strict') is True)
        if not of_case and any(owner.get('__unittest_expecting_failure__') is True for owner in owners[:-1]):
            return Expected(None, True)
        return None

    def _xfail(self, owners):
        return next((mark for mark in self._named('xfail', owners) if self._holds(mark)), None)

    def _named(self, name, owners):
        structures = sys.modules.get('_pytest.mark.structures')
        if structures is None:
            return
        for owner in owners:
            given = owner.get('pytestmark')
            for one in given if type(given) in (list, tuple) else (given,):
                mark = one.mark if type(one) is structures.MarkDecorator else one
                if type(mark) is structures.Mark and mark.name == name:
                    yield mark

    def _holds(self, mark):
        given = (mark.kwargs['condition'],) if 'condition' in mark.kwargs else mark.args
        return not given or any(self._is_true(condition) for condition in given)

    def _is_true(self, condition):
        if type(condition) is not str:
            return bool(condition)
        if condition not in self._texts:
            raise endings.Misuse('the condition of a mark is a text that is not written out in its decorator')
        known = {'os': os, 'sys': sys, 'platform': platform, **self._namespace}
        try:
            return bool(eval(condition, known))
        except Exception as error:
            raise endings.Misuse('the condition %r of a mark raises %r' % (condition, error)) from error


def _reason_of(mark):
    return endings.reason_text(mark.kwargs.get('reason', ''))

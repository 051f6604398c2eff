"""In the judge: the exceptions that end a test, and what they are worth."""

import sys

MAX_REASON = 300


class Lost(BaseException):
    """The candidate can no longer be asked. Nothing that the tests catch makes this undone."""


class Misuse(TypeError):
    """The tests ask for what cannot be done here, whatever the program."""


class Skip(BaseException):
    """The test is not to be run, for this reason."""


# Shown by its base: the name would tell the model nothing.
Misuse.__qualname__, Misuse.__module__ = 'TypeError', 'builtins'


def skip_reason(error):
    """Why the test that raised this is skipped; None when it is no skip, or one of the program's."""
    if hasattr(error, '_mendloop_raised') or not isinstance(error, (Skip, *_foreign_skips())):
        return None
    return reason_text(error.args[0] if error.args else '')


def reason_text(value):
    """Nothing of the program's is asked for its text."""
    return value[:MAX_REASON] if type(value) is str else ''


def _foreign_skips():
    """How unittest and pytest skip, where the tests have imported them. What `pytest.xfail()` raises ends a test before
    its checks, so that nothing is known."""
    for module, names in (('unittest.case', ('SkipTest',)), ('_pytest.outcomes', ('Skipped', 'XFailed'))):
        if module in sys.modules:
            yield from (getattr(sys.modules[module], name) for name in names)


def raised_by_program(error):
    """Marks what a call raised, also where the candidate kept its account of it to itself."""
    ends_early = isinstance(error, (StopIteration, StopAsyncIteration, GeneratorExit))
    if ends_early or skip_reason(error) is not None:
        # It would end a loop of the tests early and silently, or the test: a skip that the tests once raised in a
        # callback may come back at any time.
        marks, kind = vars(error), type(error).__name__
        error = RuntimeError('%s raised by the program' % kind)
        error.__dict__.update({'_mendloop_raised': {}, **marks, '_mendloop_text': str(error)})
    elif hasattr(error, '_mendloop_number') or not isinstance(error, Exception):
        error.__dict__.setdefault('_mendloop_raised', {})
    return error

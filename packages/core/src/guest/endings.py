"""In the judge: the exceptions that end a test, and what they are worth."""


class Lost(BaseException):
    """The candidate can no longer be asked. Nothing that the tests catch makes this undone."""


class Misuse(TypeError):
    """The tests ask for what cannot be done here, whatever the program."""


# Shown by its base: the name would tell the model nothing.
Misuse.__qualname__, Misuse.__module__ = 'TypeError', 'builtins'


def raised_by_program(error):
    """Marks what a call raised, also where the candidate kept its account of it to itself."""
    if isinstance(error, (StopIteration, StopAsyncIteration, GeneratorExit)):
        # It would end a loop of the tests early and silently.
        marks, kind = vars(error), type(error).__name__
        error = RuntimeError('%s raised by the program' % kind)
        error.__dict__.update({'_mendloop_raised': {}, **marks, '_mendloop_text': str(error)})
    elif hasattr(error, '_mendloop_number') or not isinstance(error, Exception):
        error.__dict__.setdefault('_mendloop_raised', {})
    return error

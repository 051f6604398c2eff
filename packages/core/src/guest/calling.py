"""Calls what the tests define: the module itself, a function, a method between its hooks."""

import types

lending = load('lending')
Misuse = load('endings').Misuse


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

"""Which exceptions of the tests' own the program may swallow, and which stay failures of the test."""

import ast
import builtins

TESTS = '<tests>'


def is_failed_check(error):
    """True for a check of the tests that failed, rather than one of the program's."""
    return isinstance(error, AssertionError) and not hasattr(error, '_mendloop_raised')


def is_example(error):
    """True for an assert such as `assert 1 == 2`, which can only be meant to fail: an example for a program
    that runs tests. `assert False` says instead that this must not be reached."""
    check = getattr(error, '_mendloop_check', None)
    if check is None or error.args:
        return False
    test = check[0].test
    return isinstance(test, ast.Compare) and not any(isinstance(part, ast.Name) for part in ast.walk(test))


def allowed(link, error, answer):
    """The answer of a context manager of the candidate's to what was raised in its `with`."""
    if error is None or hasattr(error, '_mendloop_raised') or not answer:
        return answer
    if is_failed_check(error) or rests_on_program(link, error):
        link.hold_against(error)
        return False
    return answer


def rests_on_program(link, error):
    """Whether the statement that failed had to do with the program, and was no example of a failure."""
    step, found = error.__traceback__, None
    while step is not None:
        if step.tb_frame.f_code.co_filename == TESTS:
            found = step
        step = step.tb_next
    if found is None or link.tests_tree is None:
        return True
    statement = innermost(link.tests_tree, found.tb_lineno)
    if statement is None or isinstance(statement, ast.Raise):
        return False
    if isinstance(statement, ast.Assert):
        return True
    entered = {
        name.id
        for node in ast.walk(link.tests_tree)
        if isinstance(node, ast.withitem) and node.optional_vars is not None
        for name in ast.walk(node.optional_vars)
        if isinstance(name, ast.Name)
    }
    known = {**found.tb_frame.f_globals, **found.tb_frame.f_locals}
    standins = load('standins')
    theirs = (standins.Handle, standins.StandInType, standins.StandInModule, type(None))
    return any(
        node.id in entered or node.id not in vars(builtins) and isinstance(known.get(node.id), theirs)
        for node in own_parts(statement)
        if isinstance(node, ast.Name)
    )


def innermost(tree, line):
    """The smallest statement around a line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    # Of those on one line, the innermost comes last.
    around.reverse()
    return min(around, key=lambda node: (node.end_lineno or node.lineno) - node.lineno, default=None)


def own_parts(statement):
    """What a statement does itself, without the statements within it."""
    yield statement
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield from own_parts(child)

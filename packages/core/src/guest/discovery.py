"""What the source of the tests defines and checks, before any of it runs."""

import ast

own_parts = load('suppression').own_parts

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES = (ast.If, ast.While, getattr(ast, 'Match', ast.If))
EXITS = ('exit', 'quit', 'sys.exit', 'os._exit')


def named_tests(tree):
    """Names of the tests that the source defines at its top level → whether they are defined there in any case,
    rather than in an `if` or the like."""
    found, outermost = {}, set(tree.body)
    for node in _top_level(tree):
        always = node in outermost
        for name in _tests_of(node):
            found[name] = found.get(name, False) or always
    return found


def _tests_of(node):
    if isinstance(node, FUNCTIONS) and node.name.startswith('test_'):
        return [node.name]
    if isinstance(node, ast.ClassDef) and (node.name.startswith('Test') or _looks_like_case(node)):
        prefix = 'test' if _looks_like_case(node) else 'test_'
        return [
            '%s.%s' % (node.name, one.name)
            for one in node.body
            if isinstance(one, FUNCTIONS) and one.name.startswith(prefix)
        ]
    return []


def _looks_like_case(node):
    return any(ast.unparse(base).endswith('TestCase') for base in node.bases)


def _top_level(node):
    """The statements that run with the module itself, those within others too."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            if not isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                yield from _top_level(child)


def checks_of(tree):
    """The statements that make a check of the top level once they are reached: every assert; without tests, a branch
    that raises; and without either, whatever calls something."""
    checks = {node for node in ast.walk(tree) if isinstance(node, ast.Assert)}
    if named_tests(tree):
        return checks
    statements = [node for node in _top_level(tree) if isinstance(node, ast.stmt)]
    branches = {node for node in statements if isinstance(node, BRANCHES) and _may_refuse(node)}
    callers = () if checks else (node for node in statements if _calls(node))
    return checks.union(branches, callers)


def _may_refuse(branch):
    condition = branch.test if hasattr(branch, 'test') else branch.subject
    return not isinstance(condition, ast.Constant) and any(
        isinstance(part, ast.Raise) or isinstance(part, ast.Call) and ast.unparse(part.func) in EXITS
        for part in ast.walk(branch)
    )


def _calls(statement):
    idle = (*FUNCTIONS, ast.ClassDef, *BRANCHES, ast.For)
    return not isinstance(statement, idle) and any(
        isinstance(part, (ast.Call, ast.Await)) for part in own_parts(statement)
    )


def condition_texts(tree):
    """The texts that marks of pytest's have for conditions. No other text is run as one: it might be the program's."""
    return {
        value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(('.skipif', '.xfail'))
        for value in (*node.args, *(word.value for word in node.keywords if word.arg == 'condition'))
        if isinstance(value, ast.Constant) and type(value.value) is str
    }

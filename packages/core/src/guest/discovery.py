"""What the source of the tests defines, before any of it runs."""

import ast

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


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

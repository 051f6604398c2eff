# The names of the tests that stand in a file, read without running it: a test that is not in the report never ran.
import ast


class Unusable(Exception):
    """The tests themselves cannot be used, whatever the program."""


def names_in(path, shown):
    """Functions and methods that are surely tests: unconditional, and under names that every runner takes."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source, shown)
    except (SyntaxError, ValueError) as error:
        raise Unusable("%s does not parse: %s" % (shown, error)) from None
    functions, methods = [], []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_test(node):
            functions.append(node.name)
        elif isinstance(node, ast.ClassDef):
            own = [node.name + "." + one.name for one in node.body if _is_method(one)]
            if _is_case(node):
                methods += own
            elif node.name.startswith("Test") and not _is_switched_off(node):
                functions += own
    return functions, methods


def _is_test(node):
    # A decorator may make anything of it; only marks and skips are known to leave a test.
    return node.name.startswith("test_") and all(_is_mark(one) for one in node.decorator_list)


def _is_mark(decorator):
    text = ast.dump(decorator)
    return "'mark'" in text or "'skip" in text or "'patch'" in text


def _is_method(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_test(node)


def _is_case(node):
    last = [one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in node.bases]
    return any(name.endswith("TestCase") for name in last)


def _is_switched_off(node):
    """Classes with a constructor, or that say they are none, are not collected."""
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__"):
            return True
        if isinstance(one, ast.Assign) and any(getattr(name, "id", "") == "__test__" for name in one.targets):
            return True
    return False


def is_reported(name, reported):
    """Whether a test or one of its parameter sets is among the reported names."""
    return any(one == name or one.startswith(name + "[") for one in reported)

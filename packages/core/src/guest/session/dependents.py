"""Which modules import which, by their source: what one of them took from another is old once that one is."""

import ast

#: Names that import what no reader of the source knows.
DYNAMIC = {'__import__', 'import_module'}
#: What was found, by file and package, with the source that it was found in.
_known = {}


def with_dependents(changed, paths):
    """The modules that have changed, those below them, and those that import any of these, directly or not.

    `paths` has the file of each module. One that cannot be read, or imports names that it makes up, imports all."""
    found, waiting = set(), list(changed)
    wanted = {name: imports_of(name, path) for name, path in paths.items() if name not in changed}
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        waiting += (
            name
            for name, imported in wanted.items()
            if imported is None or one in imported or name.startswith(one + '.')
        )
    return found


def imports_of(name, path):
    """Names of the modules that it may import; None: any."""
    if not path.endswith('.py'):
        return None
    try:
        with open(path, 'rb') as file:
            source = file.read()
        package = name if path.endswith('__init__.py') else name.rpartition('.')[0]
        if _known.get((path, package), (None, None))[0] != source:
            _known[path, package] = (source, names_in(ast.parse(source), package))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _known[path, package][1]


def names_in(tree, package):
    """What the statements import, seen from within `package`; None: any."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names.update(prefixes(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = package.split('.')
            base = base[: len(base) - node.level + 1] if node.level else []
            origin = '.'.join([*base, *([node.module] if node.module else [])])
            names.update(prefixes(origin))
            names.update('%s.%s' % (origin, alias.name) for alias in node.names)
            if any(alias.name in DYNAMIC for alias in node.names):
                return None
        elif getattr(node, 'id', None) in DYNAMIC or getattr(node, 'attr', None) in DYNAMIC:
            return None
    return names


def prefixes(name):
    """A module and the packages that it lies in, all of which its import loads."""
    parts = name.split('.')
    return {'.'.join(parts[:count]) for count in range(1, len(parts) + 1)}

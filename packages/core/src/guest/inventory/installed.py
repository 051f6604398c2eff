"""Which Python packages are installed: name, version, import names. Broken metadata is skipped."""

import os
import site
import sys

try:
    from importlib import metadata
except ImportError:  # Python 3.7
    metadata = None

MOST_PACKAGES = 3000
MOST_IMPORTS = 40
MOST_CHARACTERS = 200


def add_search_paths():
    """An isolated interpreter leaves these out; a program's own run has them."""
    for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep):
        if entry and entry not in sys.path:
            sys.path.insert(0, entry)
    if os.path.isdir(site.getusersitepackages()):
        sys.path.append(site.getusersitepackages())


def installed_packages():
    """The packages by name, and how many were left out: unreadable ones, or too many."""
    found = {}
    omitted = 0
    for distribution in distributions():
        try:
            package = describe(distribution)
        except Exception:  # whatever a damaged installation may raise
            omitted += 1
            continue
        # The first one on sys.path is the one that is imported.
        if package['name'].lower() in found:
            continue
        if len(found) == MOST_PACKAGES:
            omitted += 1
        else:
            found[package['name'].lower()] = package
    return sorted(found.values(), key=lambda one: one['name'].lower()), omitted


def distributions():
    """Each installation that can be listed at all."""
    try:
        yield from metadata.distributions()
    except (AttributeError, OSError):
        return


def describe(distribution):
    name, version = distribution.metadata['Name'], distribution.version
    if not isinstance(name, str) or not isinstance(version, str):
        raise ValueError('no name or no version')
    imports = [one for one in sorted(import_names(distribution)) if len(one) <= MOST_CHARACTERS]
    return {
        'name': name[:MOST_CHARACTERS],
        'version': version[:MOST_CHARACTERS],
        'imports': imports[:MOST_IMPORTS],
    }


def import_names(distribution):
    """What `import` finds of it: as it declares, else as its files say."""
    names = set((distribution.read_text('top_level.txt') or '').replace('/', '.').split())
    if not names:
        names = {import_name(file.parts) for file in distribution.files or ()}
    names = {one for one in names if all(part.isidentifier() for part in one.split('.'))}
    # A private module is named only where there is no other.
    return {one for one in names if not one.startswith('_')} or names


def import_name(parts):
    """The module that a file belongs to, or an empty string."""
    first = parts[0]
    if len(parts) > 1:
        return first if parts[-1].endswith(('.py', '.so', '.pyd')) and first != '__pycache__' else ''
    module, _, ending = first.partition('.')
    return module if ending.endswith(('py', 'so', 'pyd')) else ''

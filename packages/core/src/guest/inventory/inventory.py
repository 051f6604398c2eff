"""Measures what this environment offers and prints it as one line of JSON behind the word it was given."""

import importlib.util
import json
import locale
import os
import platform
import sys

import executables
import installed
import machine


def measure(names):
    installed.add_search_paths()
    packages, omitted = installed.installed_packages()
    return {
        'python': {
            'version': platform.python_version(),
            'executable': sys.executable,
            'packages': packages,
            'packagesOmitted': omitted,
            'hasPip': importlib.util.find_spec('pip') is not None,
        },
        'executables': executables.executables(names),
        'cpuCount': machine.cpu_count(),
        'memoryBytes': machine.memory_bytes(),
        'limits': machine.limits(),
        'network': 'route' if machine.has_route() else 'none',
        'writableFolders': machine.writable_folders(),
        'locale': locale.setlocale(locale.LC_CTYPE),
        'isRoot': hasattr(os, 'geteuid') and os.geteuid() == 0,
    }


def main(word, *names):
    facts = measure(names)
    known = {key: value for key, value in facts.items() if value is not None}
    # On a line of its own: a start-up file of this installation may have printed something.
    print('\n' + word + json.dumps(known), flush=True)


main(*sys.argv[1:])

// Written by tools/guest-programs.mjs from the .py files beside it; edit those.

/** Text of each program that runs inside a sandbox, by its file's name without the ending. */
export const guestPrograms = {
  bootstrap: `# The whole of the command line: runs the programs on standard input in order, each as a module.
import json, sys, types

for name, text in json.load(sys.stdin).items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, '<mendloop ' + name + '>', 'exec'), module.__dict__)
`,
  executables: `"""Which programs are there, and the first line that each says of its version."""

import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

# A version manager's shell script takes its time on a busy machine; what hangs is listed without a version.
DEADLINE_SECONDS = 5
AT_ONCE = 4
MOST_CHARACTERS = 200
VERSION_ARGUMENT = {'java': '-version', 'javac': '-version', 'go': 'version', 'ffmpeg': '-version'}


def executables(names):
    """Name -> path and version, for each name that is on PATH."""
    paths = {name: shutil.which(name) for name in names}
    found = [name for name in names if paths[name]]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        versions = list(pool.map(lambda name: version_of(name, paths[name]), found))
    return {name: entry(paths[name], version) for name, version in zip(found, versions)}


def entry(path, version):
    return {'path': path, 'version': version} if version else {'path': path}


def version_of(name, path):
    """Its version as it prints it, such as 13.2.0; None when it tells none."""
    try:
        with tempfile.TemporaryFile() as output:
            # A file, not a pipe: a child that is left behind cannot hold this up.
            subprocess.run(
                [path, VERSION_ARGUMENT.get(name, '--version')],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=os.path.abspath(os.sep),
                timeout=DEADLINE_SECONDS,
                check=False,
            )
            output.seek(0)
            text = output.read(4096).decode('utf-8', 'replace')
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'\\d+(\\.\\d+)+\\S*', text)
    return match.group().strip('"(),;')[:MOST_CHARACTERS] if match else None
`,
  installed: `"""Which Python packages are installed: name, version, import names. Broken metadata is skipped."""

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
    """What \`import\` finds of it: as it declares, else as its files say."""
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
`,
  inventory: `"""Measures what this environment offers and prints it as one line of JSON behind the word it was given."""

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
    print('\\n' + word + json.dumps(known), flush=True)


main(*sys.argv[1:])
`,
  machine: `"""The machine as seen from inside: processors, memory, limits, folders, network. Nothing is sent anywhere."""

import os
import socket
import tempfile

try:
    import resource
except ImportError:  # Windows
    resource = None

# Addresses for documentation (RFC 5737, RFC 3849): no machine has them, and a default route leads there.
NOWHERE = ((socket.AF_INET, '192.0.2.1'), (socket.AF_INET6, '2001:db8::1'))
RLIMITS = {
    'cpuSeconds': 'RLIMIT_CPU',
    'dataBytes': 'RLIMIT_DATA',
    'addressSpaceBytes': 'RLIMIT_AS',
    'fileBytes': 'RLIMIT_FSIZE',
    'openFiles': 'RLIMIT_NOFILE',
    'processes': 'RLIMIT_NPROC',
}
CGROUP = '/sys/fs/cgroup'
# A cgroup of version 1 says "no limit" as the largest multiple of a page.
UNLIMITED = 1 << 60


def cpu_count():
    """Processors that it may use at once, as its affinity and the quota of its cgroup say."""
    try:
        count = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        count = os.cpu_count()
    quota = cpu_quota()
    return count if quota is None or count is None else min(count, max(1, round(quota + 0.49)))


def cpu_quota():
    parts = (read(CGROUP + '/cpu.max') or '').split()
    if len(parts) != 2:
        parts = [read(CGROUP + '/cpu/cpu.cfs_' + name + '_us') or '' for name in ('quota', 'period')]
    quota, period = (int(part) if part.isdigit() else 0 for part in parts)
    return quota / period if quota and period else None


def memory_bytes():
    """The least of what the machine has, its cgroup grants and its limits allow."""
    try:
        sizes = [os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')]
    except (AttributeError, ValueError, OSError):
        sizes = []
    sizes += [number(CGROUP + name) for name in ('/memory.max', '/memory/memory.limit_in_bytes')]
    sizes += [limits().get(name) for name in ('dataBytes', 'addressSpaceBytes')]
    return min((size for size in sizes if size), default=None)


def limits():
    """What the kernel holds it to; what is not bounded is absent."""
    found = {}
    for name, constant in RLIMITS.items():
        value = resource.getrlimit(getattr(resource, constant))[0] if hasattr(resource, constant) else -1
        if value != -1 and value < UNLIMITED:
            found[name] = value
    pids = number(CGROUP + '/pids.max') or number(CGROUP + '/pids/pids.max')
    if pids:
        found['processes'] = min(pids, found.get('processes', pids))
    sizes = {'workspaceBytes': '.', 'temporaryBytes': tempfile.gettempdir(), 'sharedMemoryBytes': '/dev/shm'}
    for name, folder in sizes.items():
        size = bounded_size(folder)
        if size:
            found[name] = size
    return found


def bounded_size(folder):
    """Size of a folder in a memory file system; of any other, the disk behind it bounds nothing."""
    best = ('', '')
    folder = os.path.realpath(folder)
    for line in (read('/proc/self/mounts') or '').splitlines():
        _, point, kind = (line.split(' ') + ['', ''])[:3]
        inside = folder == point or folder.startswith(point.rstrip('/') + '/')
        if inside and len(point) >= len(best[0]):
            best = (point, kind)
    if best[1] != 'tmpfs':
        return None
    space = os.statvfs(folder)
    return space.f_blocks * space.f_frsize


def has_route():
    """Whether this machine knows a way out. Connecting a datagram socket only looks it up."""
    for family, address in NOWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
                return True
        except OSError:
            continue
    return False


def writable_folders():
    """Those of the usual folders in which a file really can be made."""
    usual = [os.getcwd(), os.path.expanduser('~'), tempfile.gettempdir(), '/tmp', '/var/tmp', '/dev/shm']
    return [folder for folder in dict.fromkeys(map(os.path.realpath, usual)) if takes_files(folder)]


def takes_files(folder):
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read(1 << 20)
    except OSError:
        return None


def number(path):
    text = (read(path) or '').strip()
    return int(text) if text.isdigit() and int(text) < UNLIMITED else None
`,
  probe: `"""Tries one thing that a model may believe impossible here, and prints what came of it as JSON behind a word.

Each probe returns a fact, as a sentence; what it raises is a fact too.
"""

import io
import json
import os
import platform
import struct
import sys
import tempfile
import zipfile
import zlib

import machine


def run():
    version = platform.python_version()
    return True, 'Python %s runs programs here: 6 * 7 was computed as %d.' % (version, 6 * 7)


def plot():
    try:
        import matplotlib
    except ImportError:
        return False, 'matplotlib is not installed here; a chart can be written by hand as an SVG file.'
    matplotlib.use('Agg')
    from matplotlib import pyplot

    pyplot.plot([1, 3, 2])
    with tempfile.TemporaryFile() as file:
        pyplot.savefig(file, format='png')
        size = file.tell()
    return True, 'matplotlib %s drew a chart here, a PNG file of %d bytes.' % (matplotlib.__version__, size)


def files():
    names = sorted(name for name in os.listdir('.') if os.path.isfile(name))
    if not names:
        with tempfile.TemporaryFile('w+', encoding='utf-8') as file:
            file.write('written')
            file.seek(0)
            return file.read() == 'written', 'The workspace is empty; files can be written and read here.'
    shown = ['%s (%d bytes%s)' % (name, os.path.getsize(name), beginning(name)) for name in names[:5]]
    more = ' and %d more' % (len(names) - 5) if len(names) > 5 else ''
    return True, 'Programs can open the files of the workspace: %s%s.' % (', '.join(shown), more)


def beginning(name):
    """The first line of a text file, shortened."""
    with open(name, 'rb') as file:
        line = file.read(200).split(b'\\n')[0].strip()
    try:
        text = line.decode('utf-8')
    except UnicodeDecodeError:
        return ''
    if not text or not text.isprintable():
        return ''
    return ', begins with %s' % json.dumps(text[:60], ensure_ascii=False)


def network():
    if machine.has_route():
        return True, 'This machine knows a way to other machines; whether a server answers was not tried.'
    return False, 'There is no network here: no way to other machines. Work with the files that are given.'


def zip_files():
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as archive:
            archive.writestr('a.txt', 'packed ' * 100)
        size = file.tell()
        with zipfile.ZipFile(file) as archive:
            right = archive.read('a.txt') == b'packed ' * 100
    return right, 'zipfile packed 700 bytes into a ZIP file of %d bytes here and unpacked them again.' % size


def sqlite():
    import sqlite3  # some builds of Python lack it

    base = sqlite3.connect(':memory:')
    base.execute('create table t (n integer)')
    base.executemany('insert into t values (?)', [(1,), (2,), (3,)])
    (total,) = base.execute('select sum(n) from t').fetchone()
    fact = 'SQLite %s answered a query here: the sum of 1, 2 and 3 is %d.' % (sqlite3.sqlite_version, total)
    return total == 6, fact


def images():
    png = tiny_png()
    try:
        import PIL
        from PIL import Image
    except ImportError:
        return False, 'Pillow is not installed here; PNG files can be read and written with zlib and struct.'
    with Image.open(io.BytesIO(png)) as image:
        width, height = image.size
    return (width, height) == (2, 1), 'Pillow %s opened a PNG image of %d x %d pixels here.' % (
        PIL.__version__,
        width,
        height,
    )


def tiny_png():
    """Two pixels."""

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    head = struct.pack('>IIBBBBB', 2, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b'\\0\\x7f\\xff')
    return b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IDAT', pixels) + chunk(b'IEND', b'')


PROBES = {
    'run': run,
    'plot': plot,
    'files': files,
    'network': network,
    'zip': zip_files,
    'sqlite': sqlite,
    'images': images,
}


def main(word, name):
    try:
        works, fact = PROBES[name]()
    except Exception as error:  # that it failed, and how, is what was asked
        works, fact = False, 'It was tried here and failed: %s: %s' % (type(error).__name__, error)
    print('\\n' + word + json.dumps({'works': works, 'fact': fact[:1000]}), flush=True)


main(*sys.argv[1:])
`,
} as const

"""Which programs are there, and the first line that each says of its version."""

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
VERSION_ARGUMENTS = {
    # By itself a Java machine takes a share of the whole memory, more than a limit may allow, and leaves files in /tmp.
    'java': ['-Xmx64m', '-XX:-UsePerfData', '-version'],
    'javac': ['-J-Xmx64m', '-J-XX:-UsePerfData', '-version'],
    'go': ['version'],
    'ffmpeg': ['-version'],
}


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
                [path, *VERSION_ARGUMENTS.get(name, ['--version'])],
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
    match = re.search(r'\d+(\.\d+)+\S*', text)
    return match.group().strip('"(),;')[:MOST_CHARACTERS] if match else None

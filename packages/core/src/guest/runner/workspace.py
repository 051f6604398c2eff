"""Files into a fresh workspace."""

import os

system = load('system')


def within(root, path):
    """Absolute path of something in the workspace."""
    if path.startswith('/') or '..' in path.split('/'):
        raise ValueError('the path %r is not within the workspace' % path)
    return os.path.join(root, path) if path else root


def put(root, files):
    """Writes files, each (path, bytes)."""
    for path, data in files:
        full = within(root, path)
        if '/' in path:
            os.makedirs(os.path.dirname(full), exist_ok=True)
        descriptor = os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            system.write_all(descriptor, data)
        finally:
            os.close(descriptor)

"""Why something did not come about: words for people, and the system's name for it."""

import errno


def reason_of(error):
    """(words, name or None) of an exception."""
    if isinstance(error, OSError) and error.strerror:
        where = '' if error.filename is None else ': %s' % (error.filename,)
        return error.strerror + where, errno.errorcode.get(error.errno)
    return '%s: %s' % (type(error).__name__, error), None


def not_started(error):
    """How an execution ended that never began, as the host is told it."""
    words, name = error.args if isinstance(error, NotStarted) else reason_of(error)
    how = {'kind': 'not-started', 'reason': words}
    if name:
        how['code'] = name
    return how


def end_of(error):
    """A whole end for it."""
    return {'how': not_started(error), 'durationMs': 0, 'leftover': False}


class NotStarted(Exception):
    """With words of its own: (words, name or None)."""

"""The Landlock ruleset of the programs of one supervisor: made once, since that takes long."""

import os
import time

landlock = load('landlock')

_GOOD_FOR_SECONDS = 1.0


class Rules:
    """Made anew when other files are at the paths: its own at once, the machine's after a second."""

    def __init__(self, settings):
        self._settings = settings
        self._is_needed = settings['confinement'] == 'landlock'
        self._descriptor = None
        self._good_until = 0.0
        self._own, self._reachable = None, None

    def keep_good(self, place):
        """Has the next of those that `of` finds made already, most likely."""
        if time.monotonic() > self._good_until:
            self.of(place)

    def of(self, place):
        """The ruleset of what a program in this place may reach, as a descriptor that stays open; None where
        there are other walls."""
        if not self._is_needed:
            return None
        own = identities(place.own_paths)
        now = time.monotonic()
        if own == self._own and now < self._good_until:
            return self._descriptor
        paths = place.paths()
        reachable = identities(paths)
        if own != self._own or reachable != self._reachable:
            made = landlock.ruleset(self._settings['landlockAbi'], paths, self._settings['network'])
            if self._descriptor is not None:
                os.close(self._descriptor)
            self._descriptor, self._own, self._reachable = made, own, reachable
        self._good_until = now + _GOOD_FOR_SECONDS
        return self._descriptor


def identities(paths):
    return [(path, _identity(path)) for path in paths]


def _identity(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino

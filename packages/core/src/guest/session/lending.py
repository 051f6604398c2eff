"""Built-in functions: what a cell has put in the place of one is there while cells run, and no work of ours meets it."""

import builtins

_SPACE = vars(builtins)
_OWN = dict(_SPACE)
_GONE = object()
#: What the cells have put in their places.
_theirs = {}
_state = {'lent': False}


def take_back():
    """Ours from here on; what the cells have there instead is noted."""
    for name, own in _OWN.items():
        now = _SPACE.get(name, _GONE)
        if now is not own:
            _theirs[name] = now
            _SPACE[name] = own
        elif _state['lent']:
            _theirs.pop(name, None)
    _state['lent'] = False


def lend():
    """Theirs from here on."""
    _state['lent'] = True
    for name, value in _theirs.items():
        if value is _GONE:
            _SPACE.pop(name, None)
        else:
            _SPACE[name] = value


class Lent:
    """Within, code of the cells runs."""

    def __enter__(self):
        lend()

    def __exit__(self, *_):
        take_back()


class Kept:
    """Within, work of ours that code of the cells has asked for."""

    def __enter__(self):
        self.was_lent = _state['lent']
        take_back()

    def __exit__(self, *_):
        if self.was_lent:
            lend()

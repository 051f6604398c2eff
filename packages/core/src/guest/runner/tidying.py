"""What the desk does with the folders of a place once nobody lives there any more."""

import os

removal = load('removal')

# Of an empty one, at most, where the size tells of what has been in it.
_FOLDER_BYTES = 4096


def steps(place):
    """Makes them as new, a little with each step; returns whether they are. Emptied and not made anew: that
    costs a file system ten times as much."""
    try:
        try:
            return (yield from _empty(place.folders))
        except PermissionError:
            # Programs of this user may have closed the folders above their own: nothing keeps them from that.
            place.open_up()
            return (yield from _empty(place.folders))
    except OSError:
        return False


def _empty(folders):
    is_empty = True
    for folder in folders:
        is_empty &= yield from removal.steps(folder)
        # A folder that has grown stays large on some file systems: it would tell of what was in it.
        if os.stat(folder, follow_symlinks=False).st_size > _FOLDER_BYTES:
            os.rmdir(folder)
    return is_empty


def removing(place):
    """Removes everything again, a little with each step."""
    yield from steps(place)
    for folder in (*place.folders, place.top):
        try:
            os.rmdir(folder)
        except OSError:
            pass


def remove_all(path):
    """Removes a folder with all that is in it."""
    try:
        for _ in removal.steps(path):
            pass
        os.rmdir(path)
    except OSError:
        pass

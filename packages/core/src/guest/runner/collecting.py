"""What the desk collects of a program whose supervisor goes on to another one, and so never reads of it."""

import os

workspace = load('workspace')


def steps(place, asked, emit):
    """Collects in steps, a little with each; returns what the end of the execution says of it."""
    collection = workspace.Collection(asked, emit)
    said = {}
    try:
        root = place.opened()
        try:
            yield from collection.steps(root)
        finally:
            os.close(root)
    except OSError as error:
        cause = 'what it left could not be collected: %s' % error.strerror
        said['how'] = {'kind': 'lost', 'cause': cause}
    said.update(collection.as_report())
    return said

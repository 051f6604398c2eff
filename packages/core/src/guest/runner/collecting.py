"""What the desk collects of a program whose supervisor goes on to another one, and so never reads of it."""

import os

workspace = load('workspace')


def steps(place, asked, emit, is_unwanted):
    """Collects in steps, a little with each, until it `is_unwanted`; returns what the end of the execution
    says of it."""
    collection = workspace.Collection(asked, emit)
    said = {}
    try:
        root = place.opened()
        try:
            for _ in collection.steps(root):
                if is_unwanted():
                    return said
                yield
        finally:
            os.close(root)
    except OSError as error:
        cause = 'what it left could not be collected: %s' % error.strerror
        said['how'] = {'kind': 'lost', 'cause': cause}
    said.update(collection.as_report())
    return said

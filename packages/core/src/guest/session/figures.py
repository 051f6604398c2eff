"""Figures of matplotlib without a display: show() shows them to the session and returns."""

import io
import os
import sys
import weakref

# Not by id(): one that is gone may give it to the next.
shown = weakref.WeakSet()


def prepare(displays):
    """Before matplotlib is imported: no display is looked for, and show() is ours as soon as it is there."""
    os.environ['MPLBACKEND'] = 'Agg'
    load('imports').when_loaded('matplotlib.pyplot', lambda pyplot: take_over(pyplot, displays))


def take_over(pyplot, displays):
    """Puts our show() into a freshly imported pyplot."""

    def show(*_, **__):
        """Shows every open figure to the session, and closes it."""
        show_open(pyplot, displays)

    pyplot.show = show


def start():
    """A new cell has shown no figure yet."""
    shown.clear()


def finish(displays):
    """Shows what the cell has left open."""
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is not None:
        show_open(pyplot, displays)


def show_open(pyplot, displays):
    """Every open figure that this cell has not shown yet; all are closed."""
    try:
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            if figure not in shown:
                displays.display(figure)
    finally:
        pyplot.close('all')


def picture(value):
    """The figure as PNG, or None for what is no figure."""
    module = sys.modules.get('matplotlib.figure')
    if module is None or not isinstance(value, module.Figure):
        return None
    shown.add(value)
    buffer = io.BytesIO()
    value.savefig(buffer, format='png', bbox_inches='tight')
    return buffer.getvalue()

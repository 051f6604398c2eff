"""Figures of matplotlib without a display: show() shows them to the session and returns."""

import io
import os
import re
import sys
import weakref

#: Backends that open windows, or talk to the page of a notebook.
WINDOWED = re.compile('gtk|qt|tk|wx|web|macosx|nbagg|notebook|ipympl|widget|module://|inline', re.IGNORECASE)

# Not by id(): one that is gone may give it to the next.
#: What this cell has shown, with the picture, and of these what it went on to draw on.
shown, stayed = weakref.WeakKeyDictionary(), weakref.WeakSet()


def prepare(displays):
    """Before matplotlib is imported: no display is looked for, and show() is ours as soon as it is there."""
    os.environ['MPLBACKEND'] = 'Agg'
    when_loaded = load('imports').when_loaded
    when_loaded('matplotlib', lambda matplotlib: refuse_windows(matplotlib, 'use'))
    when_loaded('matplotlib.pyplot', lambda pyplot: take_over(pyplot, displays))


def take_over(pyplot, displays):
    """Puts our show() into a freshly imported pyplot."""

    def show(*_, block=None, **__):
        """Shows every open figure to the session, and closes it unless it is drawn on while it is seen."""
        show_open(pyplot, displays, stays=block is False)

    pyplot.show = show
    refuse_windows(pyplot, 'switch_backend')


def refuse_windows(module, name):
    """Who asks for a backend that opens windows gets Agg, is told so, and sees the figure all the same."""
    choose = getattr(module, name)

    def choose_drawn(backend, *args, **options):
        """As matplotlib's own."""
        if WINDOWED.match(str(backend)):
            print('no display for %s: figures are drawn by Agg and shown here' % backend, file=sys.stderr)
            backend = 'agg'
        return choose(backend, *args, **options)

    setattr(module, name, choose_drawn)


def start():
    """A new cell has shown no figure yet."""
    shown.clear()
    stayed.clear()


def finish(displays):
    """Shows what the cell has left open."""
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is not None:
        show_open(pyplot, displays)


def show_open(pyplot, displays, stays=False):
    """Every open figure that this cell has not shown as it is now. Of one that stays, the first and the last
    state are shown: pause() comes here for each step of an animation."""
    try:
        for manager in pyplot._pylab_helpers.Gcf.get_all_fig_managers():
            figure = manager.canvas.figure
            if figure not in shown:
                displays.display(figure)
                if stays:
                    stayed.add(figure)
            elif not stays and figure in stayed and drawn(figure) != shown[figure]:
                displays.display(figure)
    finally:
        if not stays:
            pyplot.close('all')


def picture(value):
    """The figure as PNG, or None for what is no figure."""
    module = sys.modules.get('matplotlib.figure')
    if module is None or not isinstance(value, module.Figure):
        return None
    shown[value] = drawn(value)
    return shown[value]


def drawn(figure):
    """It as PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format='png', bbox_inches='tight')
    return buffer.getvalue()

"""What code that was written for notebooks expects of IPython, Pillow and plotly: they show to the session."""

load('imports')


def prepare(displays):
    """Where they are installed, as soon as they are imported."""
    when_loaded = load('imports').when_loaded
    # Where the functions live, in newer and in older versions.
    for name in ('IPython.core.display_functions', 'IPython.core.display'):
        when_loaded(name, lambda module: take_over_ipython(module, displays))
    when_loaded('PIL.ImageShow', lambda module: take_over_pillow(module, displays))
    when_loaded('plotly.basedatatypes', lambda module: take_over_plotly(module, displays))


def take_over_ipython(module, displays):
    """Without a notebook around it, it would print."""

    def publish_display_data(data, metadata=None, **_):
        """Shows forms that have been made already."""
        displays.display((data, metadata or {}) if metadata else data, raw=True)

    def update_display(value, **options):
        """Shows it as it is now."""
        displays.display(value, **options)

    def clear_output(wait=False):
        """Nothing: what was shown stays."""

    for function in (displays.display, publish_display_data, update_display, clear_output):
        if function.__name__ in vars(module):
            setattr(module, function.__name__, function)


def take_over_pillow(module, displays):
    """Without a display it would look for a program that shows pictures."""

    def show(image, title=None, **_):
        """Shows it to the session."""
        displays.display(image)
        return True

    module.show = show


def take_over_plotly(module, displays):
    """Without a notebook or a browser it would show nothing, and not say so."""

    def show(figure, *_, **__):
        """Shows it to the session."""
        displays.display(figure)

    module.BaseFigure.show = show

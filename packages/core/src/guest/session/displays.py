"""Values as MIME bundles: a text always, and whatever else the object can make of itself."""

import base64
import json
import sys

framing, failures, lending = load('framing'), load('failures'), load('lending')

MOST_TEXT = 64 * 1024
MOST_BYTES = 8 * 1024 * 1024
MOST_OF_A_BUNDLE = 16 * 1024 * 1024
# As it travels: in JSON a control character is six times as long.
MOST_ENCODED = 32 * 1024 * 1024
# With the text and the picture that may come on top, as many as the host takes.
MOST_FORMS = 30
MOST_NAME = 100
MOST_OF_A_CELL = 100

METHODS = (
    ('_repr_html_', 'text/html'),
    ('_repr_markdown_', 'text/markdown'),
    ('_repr_latex_', 'text/latex'),
    ('_repr_svg_', 'image/svg+xml'),
    ('_repr_json_', 'application/json'),
    ('_repr_png_', 'image/png'),
    ('_repr_jpeg_', 'image/jpeg'),
    ('_repr_pdf_', 'application/pdf'),
)


class Displays:
    """What a cell shows besides what it prints."""

    def __init__(self, channel, figures):
        self.channel = channel
        self.figures = figures
        self.shown = 0

    def start(self):
        """A new cell has shown nothing yet."""
        self.shown = 0
        self.figures.start()

    def finish(self):
        """Figures that are still open are shown, once, and closed."""
        if self.channel.descriptor is not None:
            self.figures.finish(self)

    def display(self, *values, raw=False, display_id=None, **_):
        """Shows each value: as text, and as a picture, a table or a page where it can be one. What notebooks
        also accept does not matter here, but for `raw` forms, and a handle for who means to show it anew."""
        for value in map(Raw, values) if raw else values:
            self.shown += 1
            if self.shown <= MOST_OF_A_CELL:
                with lending.Kept():
                    payload = framing.as_json(self.bundle(value))
                self.channel.send(framing.DISPLAY, self.channel.cell, payload)
            elif self.shown == MOST_OF_A_CELL + 1:
                print('only the first %d values of a cell are shown' % MOST_OF_A_CELL, file=sys.stderr)
        return None if display_id is None else Handle(self, display_id)

    def bundle(self, value):
        """One value in all its forms, each within bounds."""
        data, metadata = forms_of(value)
        figure = self.figures.picture(value)
        if figure is not None:
            data['image/png'] = figure
        kept, omitted, left, left_encoded = {}, {}, MOST_OF_A_BUNDLE, MOST_ENCODED
        for mime, content in list(data.items())[:MOST_FORMS]:
            text = as_text(mime, content)
            if text is None or len(mime) > MOST_NAME:
                continue
            sent = content if isinstance(content, (bytes, bytearray)) else text.encode('utf-8', 'replace')
            size, encoded = len(sent), len(framing.as_json(text))
            if mime != 'text/plain' and (size > min(left, MOST_BYTES) or encoded > left_encoded):
                omitted[mime] = size
            else:
                left, left_encoded = left - size, left_encoded - encoded
                kept[mime] = text
        # It may have been the last of too many.
        kept.setdefault('text/plain', data['text/plain'])
        bundle = {'data': kept}
        if metadata:
            bundle['metadata'] = metadata
        if omitted:
            bundle['omitted'] = omitted
        return bundle


class Raw:
    """Forms that have been made already."""

    def __init__(self, forms):
        self.forms = forms

    def _repr_mimebundle_(self, **_):
        return self.forms

    def __repr__(self):
        forms = self.forms[0] if isinstance(self.forms, tuple) else self.forms
        return '<%s>' % ', '.join(str(mime) for mime in forms)


class Handle:
    """What a notebook changes later on. What has been shown here stays, and the new state comes after it."""

    def __init__(self, displays, display_id):
        self.displays, self.display_id = displays, display_id

    def display(self, value, **options):
        """Shows it."""
        self.displays.display(value, **options)

    update = display


def forms_of(value):
    """Every form that the value can make, by MIME type, and what it says of them."""
    data, metadata = {}, {}
    # A class is shown as what it is; its methods are for its objects.
    if not isinstance(value, type):
        mixed = answer_of(value, '_repr_mimebundle_', include=None, exclude=None)
        if isinstance(mixed, tuple) and len(mixed) == 2:
            mixed, metadata = mixed
        if isinstance(mixed, dict):
            data.update((str(mime), content) for mime, content in mixed.items() if content is not None)
        for method, mime in METHODS:
            if mime not in data:
                answer = answer_of(value, method)
                if isinstance(answer, tuple) and len(answer) == 2:
                    answer, metadata[mime] = answer
                if answer is not None:
                    data[mime] = answer
    if not isinstance(data.get('text/plain'), str):
        data['text/plain'] = repr(value)
    data['text/plain'] = failures.clip(data['text/plain'], MOST_TEXT)
    return data, plain_metadata(metadata)


def plain_metadata(metadata):
    """What an object says of its forms, as far as it can be sent."""
    try:
        text = json.dumps(metadata, allow_nan=False)
        plain = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    is_small = isinstance(plain, dict) and len(plain) <= MOST_FORMS and len(text) <= MOST_TEXT
    return plain if is_small and all(len(key) <= MOST_NAME for key in plain) else {}


def answer_of(value, method, **arguments):
    """What the method gives; one that raises is told and costs only this form."""
    # Asked of the class: an object that answers to every name, as mocks do, has none of them.
    if not hasattr(type(value), method):
        return None
    try:
        return getattr(value, method)(**arguments)
    except Exception as error:
        print('%s of %s raised %r' % (method, failures.name_of(type(value)), error), file=sys.stderr)
        return None


def as_text(mime, content):
    """A form as text: bytes in Base64, data as JSON. None for what cannot be sent."""
    if isinstance(content, (bytes, bytearray)):
        return base64.b64encode(content).decode('ascii')
    if isinstance(content, str):
        return content
    try:
        return json.dumps(content, allow_nan=False) if mime.endswith('json') else None
    except (TypeError, ValueError, RecursionError):
        return None

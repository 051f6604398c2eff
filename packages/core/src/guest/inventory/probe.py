"""Tries one thing that a model may believe impossible here, and prints what came of it as JSON behind a word.

Each probe returns a fact, as a sentence; what it raises is a fact too.
"""

import io
import json
import os
import platform
import struct
import sys
import tempfile
import zipfile
import zlib

import machine


def run():
    version = platform.python_version()
    return True, 'Python %s runs programs here: 6 * 7 was computed as %d.' % (version, 6 * 7)


def plot():
    try:
        import matplotlib
    except ImportError:
        return False, 'matplotlib is not installed here; a chart can be written by hand as an SVG file.'
    matplotlib.use('Agg')
    from matplotlib import pyplot

    pyplot.plot([1, 3, 2])
    with tempfile.TemporaryFile() as file:
        pyplot.savefig(file, format='png')
        size = file.tell()
    return True, 'matplotlib %s drew a chart here, a PNG file of %d bytes.' % (matplotlib.__version__, size)


def files():
    names = sorted(name for name in os.listdir('.') if os.path.isfile(name))
    if not names:
        with tempfile.TemporaryFile('w+', encoding='utf-8') as file:
            file.write('written')
            file.seek(0)
            return file.read() == 'written', 'The workspace is empty; files can be written and read here.'
    shown = ['%s (%d bytes%s)' % (name, os.path.getsize(name), beginning(name)) for name in names[:5]]
    more = ' and %d more' % (len(names) - 5) if len(names) > 5 else ''
    return True, 'Programs can open the files of the workspace: %s%s.' % (', '.join(shown), more)


def beginning(name):
    """The first line of a text file, shortened."""
    with open(name, 'rb') as file:
        line = file.read(200).split(b'\n')[0].strip()
    try:
        text = line.decode('utf-8')
    except UnicodeDecodeError:
        return ''
    if not text or not text.isprintable():
        return ''
    return ', begins with %s' % json.dumps(text[:60], ensure_ascii=False)


def network():
    if machine.has_route():
        return True, 'This machine knows a way to other machines; whether a server answers was not tried.'
    return False, 'There is no network here: no way to other machines. Work with the files that are given.'


def zip_files():
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as archive:
            archive.writestr('a.txt', 'packed ' * 100)
        size = file.tell()
        with zipfile.ZipFile(file) as archive:
            right = archive.read('a.txt') == b'packed ' * 100
    return right, 'zipfile packed 700 bytes into a ZIP file of %d bytes here and unpacked them again.' % size


def sqlite():
    import sqlite3  # some builds of Python lack it

    base = sqlite3.connect(':memory:')
    base.execute('create table t (n integer)')
    base.executemany('insert into t values (?)', [(1,), (2,), (3,)])
    (total,) = base.execute('select sum(n) from t').fetchone()
    fact = 'SQLite %s answered a query here: the sum of 1, 2 and 3 is %d.' % (sqlite3.sqlite_version, total)
    return total == 6, fact


def images():
    png = tiny_png()
    try:
        import PIL
        from PIL import Image
    except ImportError:
        return False, 'Pillow is not installed here; PNG files can be read and written with zlib and struct.'
    with Image.open(io.BytesIO(png)) as image:
        width, height = image.size
    return (width, height) == (2, 1), 'Pillow %s opened a PNG image of %d x %d pixels here.' % (
        PIL.__version__,
        width,
        height,
    )


def tiny_png():
    """Two pixels."""

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    head = struct.pack('>IIBBBBB', 2, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b'\0\x7f\xff')
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', pixels) + chunk(b'IEND', b'')


PROBES = {
    'run': run,
    'plot': plot,
    'files': files,
    'network': network,
    'zip': zip_files,
    'sqlite': sqlite,
    'images': images,
}


def main(word, name):
    try:
        works, fact = PROBES[name]()
    except Exception as error:  # that it failed, and how, is what was asked
        works, fact = False, 'It was tried here and failed: %s: %s' % (type(error).__name__, error)
    print('\n' + word + json.dumps({'works': works, 'fact': fact[:1000]}), flush=True)


main(*sys.argv[1:])

// What a Python cell shows: MIME bundles, figures without a display.
import { describe, expect, test } from 'vitest'
import { sessionOf } from '../../helpers/open-session.js'
import { pythonHas, requires } from '../../helpers/requires.js'

const hasPython = requires('python3')

describe.skipIf(!hasPython)('rich values', () => {
  test('an object is shown in every form that it has, and always as text', async () => {
    const { session } = await sessionOf('python')
    const { displays, value } = await session.run(
      [
        'class Rich:',
        '    def __repr__(self): return "rich"',
        '    def _repr_html_(self): return "<b>é</b>"',
        '    def _repr_png_(self): return b"\\x89PNG"',
        '    def _repr_json_(self): return {"a": [1]}, {"expanded": True}',
        '    def _repr_markdown_(self): return None',
        'display(1, Rich())',
        'Rich()',
      ].join('\n'),
    )
    const rich = {
      data: {
        'text/plain': 'rich',
        'text/html': '<b>é</b>',
        'image/png': 'iVBORw==',
        'application/json': '{"a": [1]}',
      },
      metadata: { 'application/json': { expanded: true } },
    }
    expect(displays).toEqual([{ data: { 'text/plain': '1' } }, rich])
    expect(value).toEqual(rich)
  })

  test('a mimebundle counts, and a form that fails is told and costs only itself', async () => {
    const { session } = await sessionOf('python')
    const { value, stderr, ok } = await session.run(
      'class Odd:\n    def _repr_mimebundle_(self, include=None, exclude=None): return {"text/plain": "odd", "image/svg+xml": "<svg/>"}\n    def _repr_html_(self): raise ValueError("no html")\nOdd()',
    )
    expect([ok, value]).toEqual([true, { data: { 'text/plain': 'odd', 'image/svg+xml': '<svg/>' } }])
    expect(stderr.text).toBe("_repr_html_ of Odd raised ValueError('no html')\n")
  })

  test('classes and mocks have no forms, a repr that raises is the mistake of the cell', async () => {
    const { session } = await sessionOf('python')
    const { value } = await session.run('class C:\n    def _repr_html_(self): return "x"\nC')
    expect(value?.data).toEqual({ 'text/plain': "<class '__main__.C'>" })
    const mock = await session.run('from unittest.mock import MagicMock\nMagicMock()')
    expect(Object.keys(mock.value?.data ?? {})).toEqual(['text/plain'])
    const bad = await session.run('class D:\n    def __repr__(self): raise KeyError("bad")\nD()')
    expect([bad.ok, bad.error?.name]).toEqual([false, 'KeyError'])
  })

  test('what is too large is left out and told, what is too long is cut, what is too much is not kept', async () => {
    const { session } = await sessionOf('python')
    const { value, displays, omittedDisplays, stderr } = await session.run(
      'class Big:\n    def __repr__(self): return "r" * 1_000_000\n    def _repr_png_(self): return bytes(9 * 1024 * 1024)\nfor n in range(150): display(n)\nBig()',
    )
    expect(value?.omitted).toEqual({ 'image/png': 9 * 1024 * 1024 })
    expect(value?.data['text/plain']).toMatch(/^r+\n… \d+ characters left out …\nr+$/)
    expect([displays.length, omittedDisplays]).toEqual([100, undefined])
    expect(stderr.text).toContain('only the first 100')
  })

  test('an object with odd, many or huge forms costs only what cannot be sent', async () => {
    const { session } = await sessionOf('python')
    const { value, ok, lost } = await session.run(
      [
        'class Odd:',
        '    def _repr_mimebundle_(self, include=None, exclude=None):',
        '        forms = {"x/%d" % n: "y" for n in range(100)}',
        '        forms.update({"k" * 1000: "y", "application/json": float("nan"), "text/html": "é" * 3_000_000})',
        '        return dict(reversed(list(forms.items()))), {"a": float("nan"), "b" * 1000: 1}',
        'Odd()',
      ].join('\n'),
    )
    expect([ok, lost]).toEqual([true, undefined])
    expect(Object.keys(value?.data ?? {}).length).toBeLessThanOrEqual(33)
    expect(value?.data['text/html']?.length).toBe(3_000_000)
    expect(value?.data['application/json']).toBeUndefined()
  })
})

describe.skipIf(!hasPython)('what grows on its way', () => {
  test.each([
    [
      'python',
      'class Odd:\n    def _repr_html_(self): return "\\x01" * (8 * 1024 * 1024)\n    _repr_markdown_ = _repr_html_\nx = 1\ndisplay(Odd())',
    ],
    [
      'javascript',
      "var x = 1; const large = '\\x01'.repeat(8 * 1024 * 1024)\ndisplay.mime({ 'text/html': large, 'text/markdown': large })",
    ],
  ] as const)('costs only the form that is too large, in %s', async (language, code) => {
    const { session } = await sessionOf(language)
    const { displays, lost } = await session.run(code)
    expect([displays[0]?.omitted?.['text/html'], lost]).toEqual([8 * 1024 * 1024, undefined])
    expect((await session.run('x')).value?.data['text/plain']).toBe('1')
  })

  test('exceptions and forms of any make do not cost the session', async () => {
    const { session } = await sessionOf('python')
    const raised = await session.run('raise SyntaxError("odd", ("f", "no line", 1, 5))')
    expect([raised.error?.name, raised.error?.message]).toEqual(['SyntaxError', 'odd'])
    const { value, lost } = await session.run(
      'class Many:\n    def _repr_mimebundle_(self, **_): return {"😀" * 60 + str(n): "" for n in range(40)}\nMany()',
    )
    expect([Object.keys(value?.data ?? {}).includes('text/plain'), lost]).toEqual([true, undefined])
  })
})

describe.skipIf(!hasPython || !pythonHas('matplotlib'))('figures', () => {
  test('each show() shows what is open and closes it; what is left open is shown once at the end', async () => {
    const { session } = await sessionOf('python', { cellMs: 60_000 })
    const shown = await session.run(
      'import matplotlib.pyplot as plt\nfor n in range(2):\n    plt.plot([n, 1])\n    plt.show()\nfigure, axes = plt.subplots()\naxes.plot([1, 2]);',
    )
    expect([shown.ok, shown.stderr.text]).toEqual([true, ''])
    expect(shown.displays.map(({ data }) => Object.keys(data))).toEqual(
      Array(3).fill(['text/plain', 'image/png']),
    )
    const png = Buffer.from(shown.displays[2]?.data['image/png'] ?? '', 'base64')
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect((await session.run('plt.get_fignums()')).value?.data['text/plain']).toBe('[]')
    const again = await session.run('figure')
    expect([again.displays.length, Object.keys(again.value?.data ?? {})]).toEqual([
      0,
      ['text/plain', 'image/png'],
    ])
  })

  test('a figure that cannot be drawn is the mistake of the cell, and is not in the way of the next', async () => {
    const { session } = await sessionOf('python', { cellMs: 60_000 })
    const { error, lost } = await session.run('import matplotlib.pyplot as plt\nplt.title(r"$\\nothing$");')
    expect([error?.name, lost]).toEqual(['ValueError', undefined])
    expect((await session.run('1')).displays).toEqual([])
  })

  test('a figure that is displayed by hand is not shown a second time', async () => {
    const { session } = await sessionOf('python', { cellMs: 60_000 })
    const { displays } = await session.run(
      'from matplotlib import pyplot\nfigure = pyplot.figure()\ndisplay(figure)\nNone',
    )
    expect(displays).toHaveLength(1)
  })
})

describe.skipIf(!hasPython || !pythonHas('PIL'))('pictures', () => {
  test('an image of Pillow is a PNG', async () => {
    const { session } = await sessionOf('python')
    const { value } = await session.run('from PIL import Image\nImage.new("RGB", (3, 2))')
    expect(Buffer.from(value?.data['image/png'] ?? '', 'base64').readUInt32BE(16)).toBe(3)
  })
})

// Code that was written for notebooks: their commands, their display(), and loops that draw.
import { describe, expect, test } from 'vitest'
import { sessionOf } from '../../helpers/open-session.js'
import { pythonHas, requires } from '../../helpers/requires.js'

const hasPython = requires('python3')

describe.skipIf(!hasPython)('a command of IPython', () => {
  test.each([
    ['%matplotlib inline\nx = 1', 1, 'figures are shown without it'],
    ['x = 1\n!pip install numpy', 2, 'run programs with subprocess.run()'],
    ['files = !ls', 1, 'run programs with subprocess.run()'],
    ['%%time\nx = 1', 1, 'leave it out'],
    ['len?', 1, 'use help() or inspect'],
  ])('is called that by the error of %j', async (code, line, instead) => {
    const { session } = await sessionOf('python')
    const { error } = await session.run(code)
    expect(error).toMatchObject({ name: 'SyntaxError', frames: [{ line }] })
    expect(error?.message).toContain('is a command of IPython, and cells are plain Python')
    expect(error?.message).toContain(instead)
    expect((await session.run('10 %% 3')).error?.message).not.toContain('IPython')
  })
})

/** What others have at these places; the real ones print, look for a program that shows pictures, or do nothing. */
const STAND_INS = {
  'IPython/__init__.py': '',
  'IPython/core/__init__.py': '',
  'IPython/core/display_functions.py':
    '__all__ = ["display", "clear_output", "update_display", "publish_display_data"]\n' +
    'def display(*objects, **options): print("printed")\n' +
    'clear_output = update_display = publish_display_data = display\n',
  'IPython/display.py': 'from IPython.core.display_functions import *\n',
  'PIL/__init__.py': '',
  'plotly/__init__.py': '',
  'plotly/basedatatypes.py': 'class BaseFigure:\n    def show(self, *args, **kwargs): pass\n',
  'PIL/ImageShow.py': 'def show(image, title=None, **options): raise OSError("no display")\n',
}

describe.skipIf(!hasPython)('what notebooks display', () => {
  test('with the functions of IPython is shown, and nothing is printed', async () => {
    const { session, sandbox } = await sessionOf('python')
    await sandbox.files.write(STAND_INS)
    const { displays, stdout, error } = await session.run(
      [
        'from IPython.display import *',
        'handle = display("one", metadata={}, display_id=True)',
        'handle.update("two")',
        'update_display("three", display_id="x")',
        'clear_output(wait=True)',
        'publish_display_data({"text/html": "<b>"}, {"text/html": {"isolated": True}})',
        'display({"text/plain": "raw", "text/markdown": "*raw*"}, raw=True)',
      ].join('\n'),
    )
    expect(error).toBeUndefined()
    expect(stdout.text).toBe('')
    expect(displays).toEqual([
      { data: { 'text/plain': "'one'" } },
      { data: { 'text/plain': "'two'" } },
      { data: { 'text/plain': "'three'" } },
      {
        data: { 'text/plain': '<text/html>', 'text/html': '<b>' },
        metadata: { 'text/html': { isolated: true } },
      },
      { data: { 'text/plain': 'raw', 'text/markdown': '*raw*' } },
    ])
  })

  test.each([
    ['a Pillow image', 'from PIL import ImageShow\nImageShow.show("picture", title="t");', "'picture'"],
    [
      'a plotly figure',
      'from plotly.basedatatypes import BaseFigure\nclass Figure(BaseFigure):\n    def __repr__(self): return "figure"\nFigure().show("png")',
      'figure',
    ],
  ])('with show() of %s is shown', async (_, code, text) => {
    const { session, sandbox } = await sessionOf('python')
    await sandbox.files.write(STAND_INS)
    const { displays, error } = await session.run(code)
    expect(error).toBeUndefined()
    expect(displays).toEqual([{ data: { 'text/plain': text } }])
  })

  test('twice with the same warning is warned of twice', async () => {
    const { session } = await sessionOf('python')
    const cell = 'import warnings; warnings.warn("careful")'
    expect((await session.run(cell)).stderr.text).toContain('careful')
    expect((await session.run(cell)).stderr.text).toContain('careful')
  })
})

describe.skipIf(!hasPython || !pythonHas('matplotlib'))('a figure', () => {
  test('that is drawn on while it is shown is shown as it was first and as it is last', async () => {
    const { session } = await sessionOf('python', { cellMs: 60_000 })
    await session.run('import matplotlib.pyplot as plt')
    const { displays, error } = await session.run(
      'figure, axes = plt.subplots()\nfor n in range(4):\n    axes.plot([0, n])\n    plt.pause(0.01)',
    )
    expect(error).toBeUndefined()
    const pictures = displays.map(({ data }) => data['image/png'])
    expect(pictures).toHaveLength(2)
    expect(pictures[0]).not.toBe(pictures[1])
    const still = await session.run('plt.plot([1])\nplt.show(block=False)\nplt.pause(0.01)\nplt.close()')
    expect(still.displays).toHaveLength(1)
  }, 90_000)

  test.each([
    'import matplotlib\nmatplotlib.use("TkAgg")\nimport matplotlib.pyplot as plt',
    'import matplotlib.pyplot as plt\nplt.switch_backend("Qt5Agg")',
  ])(
    'is shown although a window was asked for, as by %j',
    async (code) => {
      const { session } = await sessionOf('python', { cellMs: 60_000 })
      const { displays, error, stderr } = await session.run(`${code}\nplt.plot([1, 2])\nplt.show()`)
      expect(error).toBeUndefined()
      expect(stderr.text).toMatch(/^no display for \w+: figures are drawn by Agg and shown here\n$/)
      expect(displays.map(({ data }) => Object.keys(data))).toEqual([['text/plain', 'image/png']])
    },
    90_000,
  )
})

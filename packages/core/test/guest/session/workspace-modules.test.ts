// Modules of the workspace that change while a session runs: they and what imports them are read again, and no others.
import { describe, expect, test } from 'vitest'
import { sessionOf } from '../../helpers/open-session.js'
import { requires } from '../../helpers/requires.js'

describe.skipIf(!requires('python3'))('a module of Python that has changed', () => {
  test('can be reloaded, in a package too', async () => {
    const { session, sandbox } = await sessionOf('python')
    await sandbox.files.write({ 'q.py': 'a = 1', 'pack/__init__.py': '', 'pack/sub.py': 'b = 1' })
    await session.run('import importlib, q, pack.sub\nfrom importlib import reload')
    await sandbox.files.write({ 'q.py': 'a = 22', 'pack/sub.py': 'b = 22' })
    const { value, error } = await session.run(
      'old, new = q, pack.sub\nsame = importlib.reload(q) is q and reload(new) is pack.sub\n(same, q.a, pack.sub.b)',
    )
    expect([error, value?.data['text/plain']]).toEqual([undefined, '(True, 22, 22)'])
    expect((await session.run('import q as again\nagain is q')).value?.data['text/plain']).toBe('True')
    await session.run('open("q.py", "w").write("a = 333")')
    expect((await session.run('importlib.reload(q).a')).value?.data['text/plain']).toBe('333')
  })

  test('leaves modules alone that do not import it, and takes with it those that do', async () => {
    const { session, sandbox } = await sessionOf('python')
    await sandbox.files.write({
      'shapes.py': 'known = []\nclass Shape: pass',
      'rates.py': 'rate = 1',
      'prices.py': 'from rates import rate',
      'shop/__init__.py': '',
      'shop/till.py': 'def total():\n    import prices\n    return prices.rate',
      'shop/door.py': 'from . import till',
      'shop/sign.py': 'open_ = True',
    })
    await session.run(
      'import sys, shapes, prices, shop.door, shop.sign\nshapes.known.append(1)\none = shapes.Shape()\nsign = shop.sign',
    )
    await sandbox.files.write({ 'rates.py': 'rate = 22' })
    const { value } = await session.run(
      'from shapes import Shape, known\nimport shop.door, shop.sign, prices\nfrom shop import till\n(isinstance(one, Shape), known, shop.sign is sign, prices.rate, till.total(), shop.door.till is till)',
    )
    expect(value?.data['text/plain']).toBe('(True, [1], True, 22, 22, True)')
  })

  test.each([
    ['does not parse any more for others', 'other = 1', 'other = ('],
    [
      'imports by a name that it makes up',
      'import importlib\nm = importlib.import_module("ra" + "tes")',
      undefined,
    ],
  ])('takes with it one that %s', async (_, source, broken) => {
    const { session, sandbox } = await sessionOf('python')
    await sandbox.files.write({ 'rates.py': 'rate = 1', 'other.py': source })
    await session.run('import sys, rates, other\nbefore = other')
    await sandbox.files.write({ 'rates.py': 'rate = 22', ...(broken && { 'other.py': broken }) })
    expect((await session.run('"other" in sys.modules')).value?.data['text/plain']).toBe('False')
  })

  test('is as it was within the cell that changed it, and for names that cells hold', async () => {
    const { session, sandbox } = await sessionOf('python')
    await sandbox.files.write({ 'q.py': 'a = 1' })
    await session.run('import q\nfrom q import a')
    const same = await session.run('open("q.py", "w").write("a = 22")\nimport q\nq.a')
    expect(same.value?.data['text/plain']).toBe('1')
    expect((await session.run('(q.a, a)')).value?.data['text/plain']).toBe('(1, 1)')
    expect((await session.run('import q\nq.a')).value?.data['text/plain']).toBe('22')
  })
})

describe('a module of JavaScript that has changed', () => {
  test('leaves modules alone that do not require it, and takes with it those that do', async () => {
    const { session, sandbox } = await sessionOf('javascript')
    await sandbox.files.write({
      'shapes.js': 'exports.known = []',
      'rates.js': 'exports.rate = 1',
      'prices.js': 'exports.rate = require("./rates.js").rate',
      'shop.js': 'exports.rate = require("./prices.js").rate',
    })
    await session.run('require("./shapes.js").known.push(1); require("./shop.js").rate')
    await sandbox.files.write({ 'rates.js': 'exports.rate = 22' })
    const { value } = await session.run('[require("./shapes.js").known.length, require("./shop.js").rate]')
    expect(value?.data['text/plain']).toBe('[ 1, 22 ]')
  })
})

describe('the streams of JavaScript', () => {
  test.each([
    ['closeSync', 'require("fs").closeSync(1); require("fs").closeSync(2)'],
    ['close', '(await import("node:fs")).close(1, () => undefined)'],
    [
      'a stream that ends',
      'await new Promise((go) => require("fs").createWriteStream(null, { fd: 1 }).end(go))',
    ],
  ])('are there for the next cell after %s', async (_, code) => {
    const { session } = await sessionOf('javascript')
    await session.run(code)
    const { stdout, stderr, lost } = await session.run(
      'console.log("out"); console.error("err"); require("child_process").execSync("echo child", { stdio: "inherit" }); 0',
    )
    expect([stdout.text, stderr.text, lost]).toEqual(['out\nchild\n', 'err\n', undefined])
  })
})

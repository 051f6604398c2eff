import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { wrongArrows } from '../check-imports.mjs'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mendloop-imports-'))
  plant('packages/core/package.json', '{ "dependencies": { "zod": "1" } }')
  plant('packages/sandbox-x/package.json', '{ "dependencies": { "@mendloop/core": "1" } }')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('this repository has no wrong arrow', () => {
  expect(wrongArrows(fileURLToPath(new URL('../..', import.meta.url)))).toEqual([])
})

test('arrows that point down to earlier rooms, and own dependencies, are fine', () => {
  plant('packages/core/src/contract/a.ts', "import { z } from 'zod'\nexport { z }\n")
  plant(
    'packages/core/src/repair/b.ts',
    "import { z } from '../contract/a.js'\nimport 'node:fs/promises'\nexport { z }\n",
  )
  plant('packages/core/src/index.ts', "export { z } from './repair/b.js'\n")
  plant('packages/sandbox-x/src/c.ts', "import 'node:child_process'\nimport '@mendloop/core/adapter'\n")
  expect(wrongArrows(root)).toEqual([])
})

const WRONG: readonly (readonly [name: string, file: string, text: string, found: RegExp])[] = [
  [
    'a room that imports a later one',
    'core/src/contract/a.ts',
    "import '../engine/b.js'",
    /contract stands below engine/,
  ],
  [
    'a type-only import counts too',
    'core/src/reply/a.ts',
    "import type { B } from '../verify/b.js'",
    /reply stands below verify/,
  ],
  [
    'so does import()',
    'core/src/guest/a.ts',
    "export const b = () => import('../repair/b.js')",
    /guest stands below repair/,
  ],
  [
    'and the type of an import',
    'core/src/guest/a.ts',
    "export type B = import('../repair/b.js').B",
    /guest stands below/,
  ],
  ['and export from', 'core/src/guest/a.ts', "export * from '../repair/b.js'", /guest stands below repair/],
  ['two rooms of one row', 'core/src/model/a.ts', "import '../sandbox/b.js'", /side by side/],
  [
    'a room that goes through a door',
    'core/src/trace/a.ts',
    "import '../index.js'",
    /never goes through a door/,
  ],
  ['a room that nobody planned', 'core/src/utils/a.ts', "import 'zod'", /"utils" is not a room/],
  [
    'a process started in core',
    'core/src/engine/a.ts',
    "import { spawn } from 'node:child_process'",
    /starts no process/,
  ],
  ['a server without the node: prefix', 'core/src/engine/a.ts', "import 'http'", /node:http/],
  [
    'a package that package.json does not name',
    'core/src/engine/a.ts',
    "import 'lodash'",
    /lodash is not a dependency/,
  ],
  ['core that imports an adapter', 'core/src/engine/a.ts', "import '@mendloop/sandbox-x'", /sandbox-x/],
  [
    'an adapter that reaches into core',
    'sandbox-x/src/a.ts',
    "import '../../core/src/index.js'",
    /leaves the package/,
  ],
  ['an adapter that imports another', 'sandbox-x/src/a.ts', "import '@mendloop/llm-y'", /llm-y/],
]

test.each(WRONG)('%s is found', (_, file, text, found) => {
  plant(`packages/${file}`, `// a comment first\n${text}\n`)
  const arrows = wrongArrows(root)
  expect(arrows).toHaveLength(1)
  expect(arrows[0]).toMatch(found)
  expect(arrows[0]).toContain(`packages/${file}:2 `)
})

test('an adapter that names another adapter as dependency still may not import it', () => {
  plant('packages/sandbox-x/package.json', '{ "dependencies": { "@mendloop/llm-y": "1" } }')
  plant('packages/sandbox-x/src/a.ts', "import '@mendloop/llm-y'\n")
  expect(wrongArrows(root)).toEqual([expect.stringMatching(/no other adapter/)])
})

test('examples, benchmarks and the case runner use the doors only', () => {
  for (const folder of ['examples', 'bench', 'tools/cases']) {
    plant(
      `${folder}/a.ts`,
      `import '${'../'.repeat(folder.split('/').length)}packages/core/src/engine/b.js'\n`,
    )
  }
  expect(wrongArrows(root)).toEqual([
    expect.stringMatching(/^examples.*door/),
    expect.stringMatching(/^bench.*door/),
    expect.stringMatching(/^tools\/cases.*door/),
  ])
})

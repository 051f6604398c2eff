// Quoted by docs/static-checks.md: one program checked, mended, and checked against the one before.
import { staticChecks } from '@mendloop/core'
import { expect, test } from 'vitest'

test('what is wrong before a program runs, and what of it is new', async () => {
  const checks = staticChecks()
  const first = { entry: 'area.py', files: { 'area.py': 'import os\n\nprint(3 * raduis ** 2)\n' } }
  const { gating, advisory, failures } = await checks.check({ candidate: first })
  expect(gating.map(({ message, line }) => `${line}: ${message}`)).toEqual(['3: Undefined name `raduis`'])
  expect(advisory.map(({ rule }) => rule)).toEqual(['F401'])
  expect(failures[0]?.excerpt).toContain('> 3 | print(3 * raduis ** 2)')

  const second = { ...first, files: { 'area.py': 'import os\n\nradius = 2\nprint(3 * radius ** 2)\n' } }
  const report = await checks.check({ candidate: second, previous: first })
  expect(report.findings).toEqual([])
})

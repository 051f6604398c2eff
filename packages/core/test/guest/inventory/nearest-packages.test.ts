import { expect, test } from 'vitest'
import type { Inventory } from '../../../src/guest/inventory/inventory-facts.js'
import { nearestPackages } from '../../../src/guest/inventory/nearest-packages.js'

const installed: Record<string, string[]> = {
  pandas: ['pandas'],
  pandera: ['pandera'],
  'scikit-learn': ['sklearn'],
  'python-dateutil': ['dateutil'],
  PyYAML: ['yaml'],
  matplotlib: ['matplotlib', 'mpl_toolkits'],
  'matplotlib-inline': ['matplotlib_inline'],
  rich: ['rich'],
}
const facts: Inventory = {
  python: {
    version: '3.11.7',
    executable: '/usr/bin/python3',
    packages: Object.entries(installed).map(([name, imports]) => ({ name, version: '1.0', imports })),
    packagesOmitted: 0,
    hasPip: false,
  },
  executables: {},
  limits: {},
  network: 'none',
  writableFolders: [],
  isRoot: false,
}
const names = (module: string): string[] => nearestPackages(facts, module).map(({ name }) => name)

test.each([
  ['panda', ['pandas']],
  ['pandas.core.frame', ['pandas']],
  ['scikit_learn', ['scikit-learn']],
  ['sklearn', ['scikit-learn']],
  ['dateutils', ['python-dateutil']],
  ['Yaml', ['PyYAML']],
  ['matplotlib_inlin', ['matplotlib-inline', 'matplotlib']],
  ['tensorflow', []],
  ['re', []],
  ['', []],
])('near to %j are %j', (module, expected) => {
  expect(names(module)).toEqual(expected)
})

test('no more than were asked for, and none where there is no Python', () => {
  expect(nearestPackages(facts, 'panda', 1).map(({ name }) => name)).toEqual(['pandas'])
  const { python: _python, ...others } = facts
  expect(nearestPackages(others, 'panda')).toEqual([])
})

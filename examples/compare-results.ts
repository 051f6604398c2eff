// Alternatives that do not compute the same: told at once, with the values, and nothing is timed.
import { compareTimings } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const sandbox = await subprocess().create()
const { alternatives, verdict } = await compareTimings(sandbox, {
  language: 'javascript',
  setup: 'const prices = [5, 10, 1]',
  alternatives: {
    asText: 'prices.toSorted()',
    asNumbers: 'prices.toSorted((a, b) => a - b)',
  },
  repeats: 15,
  minTimeMs: 50,
  wallMs: 10_000,
})
if (verdict.kind === 'inconclusive') console.log(verdict.reason)
console.log(verdict.why)
console.log(alternatives['asText'])
await sandbox.close()

// Which of two ways to write it is faster, measured in a sandbox, and told only when it can be told.
import { compareTimings } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const sandbox = await subprocess().create()
const { alternatives, verdict } = await compareTimings(sandbox, {
  language: 'python',
  setup: 'words = ["spam"] * 2000',
  alternatives: {
    join: '"".join(words)',
    concatenation: 'import functools; functools.reduce(lambda text, word: word + text, words)',
    misspelt: '"".joyn(words)',
  },
})
for (const [name, one] of Object.entries(alternatives)) {
  if (one.kind === 'timed') console.log(name, `${one.medianMs.toPrecision(2)} ms`)
  if (one.kind === 'failed') console.log(name, one.message)
}
console.log(verdict.kind === 'fastest' ? `${verdict.name} is fastest` : verdict.kind)
console.log(verdict.why)
await sandbox.close()

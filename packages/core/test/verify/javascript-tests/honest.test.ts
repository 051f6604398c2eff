// Programs that are right, whatever they are made of. Each passes; real processes.
import { describe, test } from 'vitest'
import { requires } from '../../helpers/requires.js'
import { HONEST_OBJECTS } from './honest-objects.js'
import { HONEST_VALUES } from './honest-values.js'
import { expectPass } from './judged.js'

describe.runIf(requires('node'))('A right program that', () => {
  test.concurrent.for([...HONEST_VALUES, ...HONEST_OBJECTS])(
    '%s passes',
    { timeout: 60_000 },
    async ([, program, imported, tests]) => {
      const text = `import assert from 'node:assert'\nimport ${imported} from './solution.mjs'\n${tests}\n`
      await expectPass(program, text, { taskFiles: { 'data.txt': 'd' }, limits: { wallMs: 60_000 } })
    },
  )
})

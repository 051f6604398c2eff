// What programs find in a sandbox, and whether something that a model says it cannot do works there.
import { BUILT_IN_PROBES, inventory, matchingProbes, nearestPackages, runProbe } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const sandbox = await subprocess().create({ limits: { openFiles: 100 } })

const found = await inventory(sandbox)
console.log('Python', found.python?.version, 'with', found.limits.openFiles, 'open files')
console.log(nearestPackages(found, 'pipp').map(({ name }) => name))

const reply = "I'm sorry, but I can't run code, so I cannot query the SQLite database."
for (const probe of matchingProbes(reply, BUILT_IN_PROBES)) console.log((await runProbe(sandbox, probe)).fact)
await sandbox.close()

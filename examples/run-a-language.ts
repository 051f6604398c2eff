// One program in any known language: written, compiled, run, and its failure read.
import { runSource } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const sandbox = await subprocess().create()
const files = "const total = (rows) => rows.map((row) => row.price)\n\ntotal(JSON.parse('null'))\n"
const { ok, failures } = await runSource(sandbox, { language: 'javascript', files })
const [failure] = failures
console.log(ok, failure?.kind, failure?.message)
console.log(failure?.location?.path, failure?.location?.line)
console.log(failure?.excerpt)
await sandbox.close()

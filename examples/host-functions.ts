// Code without a network asks the application for one thing, by name: a table is enriched with what only it knows.
import { createHostFunctions, hostFunction, openSession } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'
import { z } from 'zod'

// Here a table answers; it could as well be a model, a database or a server.
const capitals = new Map([
  ['France', 'Paris'],
  ['Japan', 'Tokyo'],
])

const host = createHostFunctions({
  capital: hostFunction({
    description: 'The capital of a country, or nothing.',
    input: z.strictObject({ country: z.string() }),
    output: z.string().nullable(),
    handler: ({ country }) => capitals.get(country) ?? null,
    maxCallsPerSecond: 50,
  }),
})

await using sandbox = await subprocess().create()
await using session = await openSession(sandbox, {
  language: 'python',
  host,
  onHostCall: ({ name, error }) => console.log(`asked: ${name}${error ? `, refused: ${error.code}` : ''}`),
})
await sandbox.files.write({ 'countries.csv': 'country\nFrance\nJapan\n' })

const enriched = await session.run(`import csv
rows = list(csv.DictReader(open("countries.csv")))
for row in rows:
    row["capital"] = host.call("capital", {"country": row["country"]})
rows`)
console.log(enriched.value?.data['text/plain'])

const refused = await session.run('host.call("capital", {"land": "Japan"})')
console.log(refused.error?.name)

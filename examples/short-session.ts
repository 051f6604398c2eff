// What one cell defines, the next one finds; a mistake costs nothing but its own cell.
import { openSession } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

await using sandbox = await subprocess().create()
await using session = await openSession(sandbox, { language: 'python' })
await session.run('scores = {"ada": 3, "grace": 5}')
const mistake = await session.run('scores["alan"]')
const best = await session.run('max(scores, key=scores.get)')
console.log(mistake.error?.name, best.value?.data['text/plain'])

// A Python session: variables survive from cell to cell, and what goes wrong costs no more than it must.
import { openSession } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

await using sandbox = await subprocess().create()
await using session = await openSession(sandbox, { language: 'python' })

await session.run('numbers = [3, 1, 2]')
const sorted = await session.run('print("sorting")\nsorted(numbers)')
console.log(sorted.stdout.text.trim(), sorted.value?.data['text/plain'])

const mistake = await session.run('\ndef tenth(rows):\n    return rows[9]\n\ntenth(numbers)')
const place = mistake.error?.frames.at(-1)
console.log(`${mistake.error?.name} in ${place?.path}, line ${place?.line}: ${place?.source}`)

const endless = await session.run('while True: pass', { timeoutMs: 500 })
const after = await session.run('len(numbers)')
console.log(endless.outcome.kind, after.value?.data['text/plain'])

const died = await session.run('import os; os._exit(9)')
console.log(died.lost?.message)
console.log('epoch', session.epoch)

// A check of your own is one object. This one asks that the program writes valid JSON with a positive total.
import { createRepairLoop, type Verifier } from '@mendloop/core'
import { scriptedModel } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const writesTotal: Verifier = {
  name: 'writes a positive total',
  visibility: 'visible',
  async verify({ run, sandbox }) {
    await run()
    const text = await sandbox.files.readText('total.json').catch(() => '')
    if (totalIn(text) > 0) return { status: 'pass', integrity: 'shared', failures: [] }
    const message = `total.json should hold a positive "total", and holds ${text || 'nothing'}`
    return {
      status: 'fail',
      integrity: 'shared',
      failures: [{ kind: 'output', message, fingerprint: message }],
    }
  },
}

function totalIn(text: string): number {
  try {
    return Number(JSON.parse(text).total)
  } catch {
    return Number.NaN
  }
}

const loop = createRepairLoop({
  model: scriptedModel([
    '```python\nprint(6)\n```',
    '```python\nimport json\n\nwith open("numbers.txt") as numbers:\n    total = sum(map(int, numbers))\nwith open("total.json", "w") as out:\n    json.dump({"total": total}, out)\n```',
  ]),
  sandbox: subprocess(),
})

const result = await loop.run({
  goal: 'Add up numbers.txt and write {"total": …} to total.json.',
  language: 'python',
  files: { 'numbers.txt': '1\n2\n3\n' },
  outputs: ['total.json'],
  verify: [writesTotal],
})
console.log(result.status, Buffer.from(result.outputs['total.json'] ?? []).toString())

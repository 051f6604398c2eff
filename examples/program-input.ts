// All that a Python program may be given, and what may be asked of its run.
import { runProgram } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const source = `
import os, sys
prices = [float(line) for line in [*open('prices.txt'), *sys.stdin]]
print(sys.argv[1], max(prices), os.environ['CURRENCY'])
open('sorted.txt', 'w').write(str(sorted(prices)))
`
const sandbox = await subprocess().create()
const { ok, files } = await runProgram(
  sandbox,
  {
    files: { 'src/main.py': source, 'data/prices.txt': '9.80\n3.10\n' },
    entry: 'src/main.py',
    args: ['highest'],
    stdin: '4.75\n',
    env: { CURRENCY: 'EUR' },
    cwd: 'data',
  },
  {
    collect: ['data/sorted.txt'],
    limits: { wallMs: 2_000 },
    signal: AbortSignal.timeout(60_000),
    onOutput: ({ text }) => process.stdout.write(text),
  },
)
console.log(ok, Buffer.from(files['data/sorted.txt'] ?? []).toString())
await sandbox.close()

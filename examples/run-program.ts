// A Python program with its files: run in a fresh workspace, isolated, in a fork of a warm interpreter.
import { runProgram } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

const sandbox = await subprocess().create()
const { outcome, stdout, files } = await runProgram(
  sandbox,
  {
    files: {
      'main.py':
        'rows = open("prices.txt").read().split()\nprint(len(rows))\nopen("top.txt", "w").write(max(rows))',
      'prices.txt': '3.10 9.80 4.75',
    },
  },
  { collect: ['top.txt'], limits: { wallMs: 2_000 } },
)
console.log(outcome, stdout.text.trim(), Buffer.from(files['top.txt'] ?? []).toString())
await sandbox.close()

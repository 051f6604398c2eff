// What exec takes: words, a line for the shell, or words with a folder, variables and input of their own.
import { subprocess } from '@mendloop/sandbox-subprocess'

const sandbox = await subprocess().create()
await sandbox.files.write({ 'data/prices.txt': '9.80\n3.10\n' })

const words = await sandbox.exec(['echo', '$HOME', '*'])
const line = await sandbox.exec('cat data/*.txt | wc -l')
const whole = await sandbox.exec(
  { argv: ['sort', '-', 'prices.txt'], cwd: 'data', env: { LC_ALL: 'C' }, stdin: '4.75\n' },
  { limits: { wallMs: 2_000 } },
)
for (const { stdout } of [words, line, whole]) console.log(stdout.text.trim().split('\n').join(' '))
await sandbox.close()

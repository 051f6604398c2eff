// A sandbox without a loop: files in, a program run, what it did as a value.
import { subprocess } from '@mendloop/sandbox-subprocess'

const sandbox = await subprocess().create()
await sandbox.files.write({ 'main.py': 'print(6 * 7)\nopen("out.txt", "w").write("done")' })
const result = await sandbox.exec(['python3', 'main.py'])
console.log(result.outcome, result.stdout.text.trim())
console.log(result.changes[0]?.path, await sandbox.files.readText('out.txt'))
await sandbox.close()

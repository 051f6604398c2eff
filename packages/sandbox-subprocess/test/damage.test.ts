// What a program does to its own folder is its affair: the result is told, and the next one runs.
import { expect, test } from 'vitest'
import { openSandbox } from './helpers/open-sandbox.js'

const damages = {
  'may list a folder and not enter it':
    'import os\nos.mkdir("d"); open("d/f", "w").close(); os.chmod("d", 0o444)',
  'leaves a path longer than the system can name':
    'import os\nfor _ in range(19): os.mkdir("a" * 200); os.chdir("a" * 200)\nopen("b" * 250, "w").close()',
  'closes its working directory': 'import os\nos.chmod(".", 0)',
  'closes the folder above': 'import os\nos.chmod("..", 0)',
  'removes its working directory': 'import os\nos.rmdir(os.getcwd())',
  'removes the folder above': 'import os, shutil\nshutil.rmtree(os.path.dirname(os.getcwd()))',
  'puts a link in its place': 'import os\np = os.getcwd(); os.rmdir(p); os.symlink("/", p)',
  'puts a file in the place of the folder above':
    'import os, shutil\np = os.path.dirname(os.getcwd()); shutil.rmtree(p); open(p, "w").close()',
  'takes the rights from its home and temporary folder':
    'import os\nfor name in "HOME", "TMPDIR": os.chmod(os.environ[name], 0)',
}

test.each(Object.entries(damages))(
  'a program that %s has its result, and the next one runs',
  async (_, code) => {
    const sandbox = await openSandbox()
    const result = await sandbox.exec(['python3', '-c', `print("done", flush=True)\n${code}`])
    expect(result).toMatchObject({ outcome: { kind: 'exit', code: 0 }, stdout: { text: 'done\n' } })
    await sandbox.files.list()
    await sandbox.files.write({ 'in.txt': 'in', 'folder/in.txt': 'in' })
    const next = await sandbox.exec({ argv: ['cat', 'in.txt', '-'], stdin: ' and out' })
    expect(next).toMatchObject({ ok: true, stdout: { text: 'in and out' } })
    expect(await sandbox.files.stat('folder/in.txt')).toEqual({ path: 'folder/in.txt', sizeBytes: 2 })
    expect(await sandbox.exec('ls "$HOME" "$TMPDIR" > /dev/null')).toMatchObject({ ok: true, changes: [] })
  },
)

// One check on one program through the loop's door, in a sandbox in which this machine's Python and Node are found.
import { execFileSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { subprocess } from '@mendloop/sandbox-subprocess'
import type { NamedVerdict } from '../../src/contract/loop.js'
import type { SandboxProvider } from '../../src/contract/sandbox.js'
import type { Verifier } from '../../src/contract/verify.js'
import { verifyOnce } from '../../src/repair/verify-once.js'

let made: SandboxProvider | undefined

/** Made when it is first used: a machine without Python only skips. */
function sandbox(): SandboxProvider {
  if (made !== undefined) return made
  const ask = ['-c', 'import sys; print(sys.executable)']
  const python = dirname(execFileSync('python3', ask, { encoding: 'utf8' }).trim())
  const PATH = [python, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
  made = subprocess({ minimum: 'process', limits: { wallMs: 30_000 }, env: { PATH } })
  return made
}

/** The verdict on a program; its first file is the entry. */
export async function sharedVerdict(
  verifier: Verifier,
  files: Readonly<Record<string, string>>,
  { language = 'python' }: { language?: string } = {},
): Promise<NamedVerdict> {
  const candidate = { files, entry: Object.keys(files)[0] ?? '' }
  const { verdicts } = await verifyOnce({ candidate, language, sandbox: sandbox(), verify: [verifier] })
  const verdict = verdicts.at(-1)
  if (verdict === undefined) throw new Error('There is no verdict.')
  return verdict
}

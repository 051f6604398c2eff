// The program read its input and left it as it was.
import { createHash } from 'node:crypto'
import type { Verifier } from '@mendloop/core'
import { failure, verdictOf } from './verdicts.js'

/** Passes when the program's run left the file at `path` with the very bytes that it had before. */
export function inputUnchanged(path: string, before: Uint8Array): Verifier {
  return {
    name: 'input unchanged',
    visibility: 'visible',
    async verify({ run }) {
      const { changes } = await run()
      const change = changes.find((one) => one.path === path)
      if (change === undefined) return verdictOf([])
      if (change.kind === 'deleted')
        return verdictOf([failure('output', `The input ${path} is gone; the program must only read it.`)])
      const describe = (bytes: number, sha256: string): string =>
        `${bytes} bytes, sha-256 ${sha256.slice(0, 12)}…`
      return verdictOf([
        failure('output', `The program changed its input ${path}; it must only read it.`, {
          expected: describe(before.length, createHash('sha256').update(before).digest('hex')),
          actual: describe(change.sizeBytes ?? 0, change.sha256 ?? 'unknown'),
        }),
      ])
    },
  }
}

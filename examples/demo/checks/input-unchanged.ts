// The program read its input and left it as it was.
import { createHash } from 'node:crypto'
import type { Verifier } from '@mendloop/core'
import { failure, readOutput, verdictOf } from './verdicts.js'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12)

/** Passes when the file at `path` has, after the program ran, the very bytes that it had before. */
export function inputUnchanged(path: string, before: Uint8Array): Verifier {
  return {
    name: 'input unchanged',
    visibility: 'visible',
    async verify(context) {
      const output = await readOutput(context, path)
      if ('missing' in output)
        return verdictOf([failure('output', `The input ${path} is gone; the program must only read it.`)])
      if (Buffer.from(output.bytes).equals(before)) return verdictOf([])
      const message = `The program changed its input ${path}; it must only read it.`
      const describe = (bytes: Uint8Array): string => `${bytes.length} bytes, sha-256 ${sha256(bytes)}…`
      return verdictOf([
        failure('output', message, { expected: describe(before), actual: describe(output.bytes) }),
      ])
    },
  }
}

// Standard input that is known in full travels as a file: a program may then also open /dev/stdin, which Node's own
// pipes (sockets, in truth) refuse, and nobody has to write while it reads.
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileUnavailable } from './open-within.js'
import { errorCode } from './system-error.js'

/** Above this the event loop stays free meanwhile. */
const LARGE_BYTES = 256 * 1024

/** An open file to start a program with. */
export interface InputFile {
  readonly descriptor: number
  /** To be called once the program has been started, or will not be. */
  close(): void
}

/** Opens a file without a name that holds `data`; `folder` is on a disk that has room for it. */
export async function openInput(folder: string, data: string | Uint8Array): Promise<InputFile> {
  const path = `${folder}/input-${randomUUID()}`
  const options = { flag: 'wx', mode: 0o600 }
  try {
    if (data.length > LARGE_BYTES) await writeFile(path, data, options)
    else writeFileSync(path, data, options)
    const descriptor = openSync(path, 'r')
    return { descriptor, close: () => closeSync(descriptor) }
  } catch (error) {
    throw fileUnavailable('stdin', `cannot be handed over (${errorCode(error)})`, error)
  } finally {
    rmSync(path, { force: true })
  }
}

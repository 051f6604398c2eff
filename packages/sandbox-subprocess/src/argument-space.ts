// How much the system passes to a program that it starts. Asked before the start, so that each tier says it alike.
import type { MendloopError } from '@mendloop/core'
import { invalidOption } from '@mendloop/core/adapter'
import { ownLimit } from './own-limits.js'

/** MAX_ARG_STRLEN of Linux: 32 pages for one argument, its NUL included. */
export const LONGEST_ARGUMENT_BYTES = 128 * 1024 - 1
/** Linux passes a quarter of what a stack may be, and never more than this (execve(2)). */
const MOST_BYTES = 6 * 1024 * 1024
/** Each string has its end and an address. */
const BYTES_A_STRING = 1 + 8
/** For what is put in front of a command line, and for variables of the sandbox's own. */
const RESERVED_BYTES = 8 * 1024

let mostBytes: number | undefined

/**
 * @param argv - of which those that are too long by themselves do not count: they are refused, or travel by file
 * @throws MendloopError INVALID_OPTION when arguments and variables together are too long
 */
export function requireRoom(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  owner: string,
): void {
  if (process.platform !== 'linux') return
  mostBytes ??= Math.min(MOST_BYTES, ownLimit('stack size') / 4) - RESERVED_BYTES
  let bytes = 0
  for (const argument of argv) {
    const length = Buffer.byteLength(argument)
    if (length <= LONGEST_ARGUMENT_BYTES) bytes += length + BYTES_A_STRING
  }
  for (const [name, value] of Object.entries(env))
    bytes += Buffer.byteLength(name) + 1 + Buffer.byteLength(value) + BYTES_A_STRING
  if (bytes > mostBytes) throw tooLongTogether(owner)
}

/** The error for arguments and variables that the system does not pass. */
export const tooLongTogether = (owner: string): MendloopError<'INVALID_OPTION'> =>
  invalidOption(owner, 'argv', 'and variables together are longer than the system passes', {
    expected: 'at most about 2 MiB',
    received: 'more',
    hint: 'write the data to a file with files.write(), or pass it as stdin',
  })

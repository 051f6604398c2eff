// Ways into a folder that programs change meanwhile (Linux): folders are opened one by one, through /proc, so that no link
// that a program leaves, or swaps in, leads the host elsewhere. Names are bytes to the system and text to callers.
import { isUtf8 } from 'node:buffer'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir } from 'node:fs/promises'

const FOLDER = constants.O_DIRECTORY | constants.O_NOFOLLOW
const nothing = (): undefined => undefined
const isEscaped = (one: string): boolean => /^[\udc80-\udcff]$/.test(one)

/** A name as text; of one that is not UTF-8, each byte above ASCII is U+DC80 to U+DCFF. */
const toName = (bytes: Buffer): string =>
  isUtf8(bytes)
    ? `${bytes}`
    : [...bytes].map((byte) => String.fromCharCode(byte < 128 ? byte : 0xdc00 + byte)).join('')
const toBytes = (name: string): Buffer[] =>
  [...name].map((one) => (isEscaped(one) ? Buffer.of(one.charCodeAt(0) - 0xdc00) : Buffer.from(one)))
const placeIn = ({ fd }: FileHandle, name: string): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), ...toBytes(name)])

/** Calls `use` with a place that stays where it is while folders are moved. */
export async function at<T>(
  root: string,
  path: string,
  use: (place: Buffer) => Promise<T>,
  make = false,
): Promise<T> {
  const parts = path.split('/')
  let folder = await open(root, FOLDER)
  try {
    for (const part of parts.slice(0, -1)) {
      const place = placeIn(folder, part)
      if (make) await mkdir(place).catch(nothing)
      const inner = await open(place, FOLDER)
      await folder.close()
      folder = inner
    }
    return await use(placeIn(folder, parts.at(-1) ?? ''))
  } finally {
    await folder.close()
  }
}

/** Every file, link and pipe of a folder, by path; folders that are closed to us are told to `onClosed`. */
export async function* walk(
  root: string,
  onClosed: (path: string) => void = nothing,
): AsyncGenerator<[string, Stats]> {
  const folder = await open(root, FOLDER)
  try {
    yield* below(folder, onClosed, '')
  } finally {
    await folder.close()
  }
}

async function* below(
  folder: FileHandle,
  onClosed: (path: string) => void,
  prefix: string,
): AsyncGenerator<[string, Stats]> {
  for (const bytes of await readdir(`/proc/self/fd/${folder.fd}`, { encoding: 'buffer' })) {
    const place = placeIn(folder, toName(bytes))
    const path = prefix + toName(bytes)
    const stats = await lstat(place).catch(nothing)
    if (!stats?.isDirectory()) {
      if (stats) yield [path, stats]
      continue
    }
    const inner = await open(place, FOLDER).catch(nothing)
    if (!inner) onClosed(path)
    else
      try {
        yield* below(inner, onClosed, `${path}/`)
      } finally {
        await inner.close()
      }
  }
}

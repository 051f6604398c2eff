// Zip files by hand, so that each field can lie.
import { crc32, deflateRawSync } from 'node:zlib'

/** An entry; what is left out is as it should be. */
export interface ZipEntry {
  readonly name: string | Buffer
  readonly content?: string | Buffer
  readonly method?: number
  readonly flags?: number
  /** Unix mode, with the type. */
  readonly mode?: number
  readonly extra?: Buffer
  /** In the list at the end alone. */
  readonly listed?: { crc?: number; packed?: number; unpacked?: number; offset?: number; flags?: number }
  /** Before the content alone. */
  readonly local?: { name?: string; crc?: number; packed?: number; unpacked?: number; method?: number }
}

/** A zip file of these entries. */
export function makeZip(entries: readonly ZipEntry[], { entryCount = entries.length } = {}): Buffer {
  const parts: Buffer[] = []
  const list: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { method = 8, flags = 0x0800, mode = 0o100644, extra = Buffer.alloc(0), listed, local } = entry
    const name = Buffer.from(entry.name)
    const content = Buffer.from(entry.content ?? '')
    const packed = method === 8 ? deflateRawSync(content) : content
    const facts = { crc: crc32(content), packed: packed.length, unpacked: content.length }
    const own = { name: entry.name, method, ...facts, ...local }
    const ownName = Buffer.from(own.name)
    const header = Buffer.concat([
      numbers([0x04034b50, 4], [20, 2], [flags, 2], [own.method, 2], [0, 2], [0x21, 2]),
      numbers([own.crc, 4], [own.packed, 4], [own.unpacked, 4], [ownName.length, 2], [0, 2]),
      ownName,
    ])
    const said = { offset, flags, ...facts, ...listed }
    list.push(
      Buffer.concat([
        numbers([0x02014b50, 4], [0x0314, 2], [20, 2], [said.flags, 2], [method, 2], [0, 2], [0x21, 2]),
        numbers([said.crc, 4], [said.packed, 4], [said.unpacked, 4], [name.length, 2], [extra.length, 2]),
        numbers([0, 2], [0, 2], [0, 2], [(mode << 16) >>> 0, 4], [said.offset, 4]),
        name,
        extra,
      ]),
    )
    parts.push(header, packed)
    offset += header.length + packed.length
  }
  const listBytes = list.reduce((sum, { length }) => sum + length, 0)
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [entryCount, 2],
    [entryCount, 2],
    [listBytes, 4],
    [offset, 4],
    [0, 2],
  )
  return Buffer.concat([...parts, ...list, end])
}

/** Little-endian numbers, each of so many bytes. */
export function numbers(...fields: readonly (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes)
      field.writeUIntLE(value, 0, bytes)
      return field
    }),
  )
}

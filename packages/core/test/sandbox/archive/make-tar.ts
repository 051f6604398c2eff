// Tar files by hand, so that each field can lie.

/** An entry; what is left out is as it should be. */
export interface TarEntry {
  readonly name: string | Buffer
  readonly content?: string | Buffer
  readonly type?: string
  readonly mode?: string
  readonly link?: string
  /** In the header, whatever the content. */
  readonly size?: number | string
}

/** Entries without the end. */
export const tarBlocks = (entries: readonly TarEntry[]): Buffer => Buffer.concat(entries.flatMap(toBlocks))

/** A tar file of these entries. */
export const makeTar = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([tarBlocks(entries), Buffer.alloc(1024)])

function toBlocks({ name, content = '', type = '0', mode = '0000644', link = '', size }: TarEntry): Buffer[] {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  Buffer.from(name).copy(header, 0, 0, 100)
  header.write(mode, 100)
  header.write(typeof size === 'string' ? size : (size ?? bytes.length).toString(8).padStart(11, '0'), 124)
  header.write('00000000000', 136)
  header.write(type, 156)
  header.write(link, 157)
  header.write('ustar\x0000', 257)
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
}

/** Records of a pax header. */
export const paxRecords = (records: Readonly<Record<string, string>>): string =>
  Object.entries(records)
    .map(([key, value]) => {
      const rest = Buffer.byteLength(` ${key}=${value}\n`)
      let length = rest + 1
      while (String(length).length + rest !== length) length++
      return `${length} ${key}=${value}\n`
    })
    .join('')

// Frames that a guest program reads from its standard input: a length, then JSON.

/** One value as a frame: four bytes of length, big end first, then JSON in UTF-8. */
export function frame(value: unknown): Uint8Array {
  const body = Buffer.from(JSON.stringify(value), 'utf8')
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

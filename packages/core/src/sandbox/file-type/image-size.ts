// Width and height of an image, as far as its first bytes tell.

type Size = { readonly width: number; readonly height: number }

/** @param head - the longer, the likelier that a JPEG's size is in it */
export function imageSize(mime: string, head: Buffer): Size | undefined {
  const size = READERS[mime]?.(head)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

const READERS: Readonly<Record<string, (head: Buffer) => Size | undefined>> = {
  'image/png': (head) =>
    head.length < 24 ? undefined : { width: head.readUInt32BE(16), height: head.readUInt32BE(20) },
  'image/gif': (head) =>
    head.length < 10 ? undefined : { width: head.readUInt16LE(6), height: head.readUInt16LE(8) },
  // A negative height means: from top to bottom.
  'image/bmp': (head) =>
    head.length < 26 ? undefined : { width: head.readInt32LE(18), height: Math.abs(head.readInt32LE(22)) },
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
}

/** Goes from marker to marker to the frame header (ITU T.81, B.1.1.3 and B.2.2). */
function jpegSize(head: Buffer): Size | undefined {
  let position = 2
  while (position + 9 < head.length && head[position] === 0xff) {
    const marker = head[position + 1] ?? 0
    if (marker === 0xff) {
      position++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: head.readUInt16BE(position + 5), width: head.readUInt16BE(position + 7) }
    position += 2 + head.readUInt16BE(position + 2)
  }
  return undefined
}

/** Lossy, lossless or extended (RFC 9649). */
function webpSize(head: Buffer): Size | undefined {
  if (head.length < 30) return undefined
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** From the attributes of the root element; `viewBox` where there are no numbers in pixels. */
export function svgSize(text: string): Size | undefined {
  const root = /<svg\b[^>]{0,4000}>/.exec(text)?.[0] ?? ''
  const pixels = (name: string): number | undefined => {
    const value = new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(?:px)?\\s*["']`).exec(root)?.[1]
    return value === undefined ? undefined : Number(value)
  }
  const box = /\sviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(root)
  const width = pixels('width') ?? Number(box?.[1])
  const height = pixels('height') ?? Number(box?.[2])
  return width > 0 && height > 0 ? { width, height } : undefined
}

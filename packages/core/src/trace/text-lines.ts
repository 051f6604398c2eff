// Text in pieces to lines, holding no more than the line under way.
import { StringDecoder } from 'node:string_decoder'

/** Text or UTF-8 bytes, whole or in pieces cut anywhere, such as `createReadStream(path)`. */
export type TextSource = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** The lines of a text without their newlines; nothing after the last newline is no line. */
export function* linesOf(text: string): Generator<string, void, undefined> {
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end)
    start = end + 1
  }
  if (start < text.length) yield text.slice(start)
}

/** The same of a text that comes in pieces. */
export async function* linesFrom(source: TextSource): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8')
  let begun: string[] = []
  for await (const piece of typeof source === 'string' ? [source] : source) {
    const text = typeof piece === 'string' ? piece : decoder.write(piece)
    const end = text.lastIndexOf('\n')
    if (end === -1) begun.push(text)
    else {
      yield* linesOf(`${begun.join('')}${text.slice(0, end + 1)}`)
      begun = [text.slice(end + 1)]
    }
  }
  begun.push(decoder.end())
  yield* linesOf(begun.join(''))
}

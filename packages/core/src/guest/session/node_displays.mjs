// Values as MIME bundles: a text always, and whatever else the object can make of itself.
import { clip, shown } from './node_failures.mjs'
import { kept } from './node_lending.mjs'

const MOST_TEXT = 64 * 1024
const MOST_BYTES = 8 * 1024 * 1024
const MOST_OF_A_BUNDLE = 16 * 1024 * 1024
// As it travels: in JSON a control character is six times as long.
const MOST_ENCODED = 32 * 1024 * 1024
// With the text, as many as the host takes.
const MOST_FORMS = 30
const MOST_NAME = 200
const MOST_OF_A_CELL = 100
/** Objects of notebooks for JavaScript answer to this. */
const METHOD = Symbol.for('Jupyter.display')

/** What a cell shows besides what it prints. */
export class Displays {
  #send
  #shown = 0

  constructor(send) {
    this.#send = send
    /** `display(value, …)`; `display.mime({ 'text/html': '…' })` for one whose forms are known. */
    this.display = (...values) =>
      kept(() => {
        for (const value of values) this.#show(this.bundle(value))
      })
    this.display.mime = (forms) => kept(() => this.#show(within(forms)))
  }

  /** A new cell has shown nothing yet. */
  start() {
    this.#shown = 0
  }

  /** One value in all its forms. */
  bundle(value) {
    return within({ 'text/plain': shown(value), ...formsOf(value) })
  }

  #show(bundle) {
    this.#shown++
    if (this.#shown <= MOST_OF_A_CELL) this.#send(bundle)
    else if (this.#shown === MOST_OF_A_CELL + 1)
      process.stderr.write(`only the first ${MOST_OF_A_CELL} values of a cell are shown\n`)
  }
}

function formsOf(value) {
  if (value instanceof Uint8Array) return pictureOf(value)
  if (typeof value !== 'object' || value === null || typeof value[METHOD] !== 'function') return {}
  try {
    return value[METHOD]() ?? {}
  } catch (error) {
    process.stderr.write(`Symbol.for('Jupyter.display') of ${shown(value)} threw ${shown(error)}\n`)
    return {}
  }
}

/** Bytes that begin as a picture does. */
function pictureOf(bytes) {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('latin1')
  if (head === '\x89PNG\r\n\x1a\n') return { 'image/png': bytes }
  return head.startsWith('\xff\xd8\xff') ? { 'image/jpeg': bytes } : {}
}

/** Each form as text, within bounds: bytes in Base64, data as JSON. */
function within(forms) {
  const data = {}
  const omitted = {}
  let left = MOST_OF_A_BUNDLE
  let leftEncoded = MOST_ENCODED
  for (const [mime, content] of Object.entries(forms).slice(0, MOST_FORMS)) {
    const form = asText(content)
    if (form === undefined || mime === 'text/plain' || mime.length > MOST_NAME) continue
    const size = content instanceof Uint8Array ? content.length : Buffer.byteLength(form)
    const encoded = Math.min(left, MOST_BYTES) < size ? 0 : JSON.stringify(form).length
    if (size > Math.min(left, MOST_BYTES) || encoded > leftEncoded) omitted[mime] = size
    else {
      left -= size
      leftEncoded -= encoded
      data[mime] = form
    }
  }
  const plain = asText(forms['text/plain']) ?? `<${Object.keys(data).join(', ') || 'nothing'}>`
  return {
    data: { 'text/plain': clip(plain, MOST_TEXT), ...data },
    ...(Object.keys(omitted).length > 0 && { omitted }),
  }
}

function asText(content) {
  if (content instanceof Uint8Array) return Buffer.from(content).toString('base64')
  try {
    return typeof content === 'string' ? content : JSON.stringify(content)
  } catch {
    return undefined
  }
}

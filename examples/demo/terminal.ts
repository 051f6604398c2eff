// The one place that writes to the terminal: lines, and below them one line that moves while something is going on.
import type { Page } from './view/layout.js'
import { coloursWanted, createStyle } from './view/style.js'
import { cutToWidth } from './view/text-width.js'

/** Lines longer than this are hard to read. */
const MOST_COLUMNS = 100
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
/** On a pipe a wait is told once it is worth telling, and then now and again. */
const FIRST_NOTE_MS = 3_000
const NEXT_NOTE_MS = 30_000
const ERASE_LINE = '\r\u001b[K'

/** Writes lines to a terminal or a pipe. */
export class Terminal {
  readonly #stream: NodeJS.WriteStream
  readonly #moving: boolean
  readonly #style
  #timer: NodeJS.Timeout | undefined
  #activity: string | undefined
  #since = 0
  #frame = 0
  #noteAtMs = FIRST_NOTE_MS
  #drawn = false

  constructor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv) {
    this.#stream = stream
    this.#moving = stream.isTTY === true && env['TERM'] !== 'dumb'
    this.#style = createStyle(coloursWanted(env, stream.isTTY === true))
  }

  /** Colours and width as they are now. */
  readonly page = (): Page => ({
    style: this.#style,
    width:
      this.#stream.isTTY === true && this.#stream.columns > 0
        ? Math.min(this.#stream.columns, MOST_COLUMNS)
        : 80,
  })

  print(lines: readonly string[]): void {
    if (lines.length === 0) return
    // One write, so that the moving line never shows half gone.
    this.#stream.write(`${this.#drawn ? ERASE_LINE : ''}${lines.join('\n')}\n`)
    this.#drawn = false
    this.#draw()
  }

  /** Shows what is going on, with the time it has taken; undefined ends it. */
  busy(activity: string | undefined): void {
    const began = this.#activity === undefined || phaseOf(activity) !== phaseOf(this.#activity)
    this.#activity = activity
    if (began) {
      this.#since = performance.now()
      this.#noteAtMs = FIRST_NOTE_MS
    }
    if (activity === undefined) this.#stop()
    else this.#timer ??= setInterval(() => this.#tick(), FRAME_MS)
    // What moves already says at once what is new; a fresh line waits, so that short steps do not flash by.
    if (began && this.#drawn) this.#draw()
  }

  /** Takes the moving line away and resolves when everything is written. */
  async end(): Promise<void> {
    this.busy(undefined)
    await new Promise<void>((resolve) => {
      if (this.#stream.destroyed || !this.#stream.writable) resolve()
      else this.#stream.write('', () => resolve())
    })
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#drawn) this.#stream.write(ERASE_LINE)
    this.#drawn = false
  }

  #tick(): void {
    this.#frame++
    if (this.#moving) this.#draw()
    else this.#note()
  }

  #draw(): void {
    if (!this.#moving || this.#activity === undefined || this.#timer === undefined) return
    const { style, width } = this.page()
    const frame = FRAMES[this.#frame % FRAMES.length] ?? ''
    const text = cutToWidth(`${this.#activity} · ${this.#elapsedSeconds()} s`, width - 4)
    this.#stream.write(`${ERASE_LINE}${style.cyan(frame)} ${style.dim(text)}`)
    this.#drawn = true
  }

  #note(): void {
    if (this.#activity === undefined || performance.now() - this.#since < this.#noteAtMs) return
    this.#noteAtMs += NEXT_NOTE_MS
    this.#stream.write(`… ${this.#activity} (${this.#elapsedSeconds()} s)\n`)
  }

  #elapsedSeconds(): string {
    return ((performance.now() - this.#since) / 1000).toFixed(this.#moving ? 1 : 0)
  }
}

/** The same thing still going on, whatever its numbers say. */
const phaseOf = (activity: string | undefined): string | undefined => activity?.replace(/\d+/g, '')

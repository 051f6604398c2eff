// What runs the cells of a session: one at a time, in a fresh worker whenever one is lost, and no loss is left untold.
import type { Outcome } from '../../contract/execution.js'
import { DEFAULT_LIMITS, type Limits } from '../../contract/sandbox.js'
import { onAbort } from '../../internal/on-abort.js'
import { startTimer } from '../../internal/timer.js'
import type { Frame } from '../runner/frame-stream.js'
import { abortedCell, CellUnderWay } from './cell-under-way.js'
import type { ControlLink, LinkEnd, LinkListener } from './control-link.js'
import { bundleSchema, diedSchema, doneSchema, FROM_GUEST, readMessage, TO_GUEST } from './guest-messages.js'
import type { HostDesk } from './host-desk.js'
import { IdleOutput } from './idle-output.js'
import { lossByEnd, outcomeOf, outcomeOfLink, SPOILT, toLoss } from './loss.js'
import type { CellOptions, CellResult, SessionLoss, SessionRuntime } from './session.js'

/** The control process kills its worker at once; after this it is stuck itself. */
const REPLACE_DEADLINE_MS = 5_000
const ABORTED: Outcome = { kind: 'aborted' }

/** What an engine is made of. */
export interface EngineParts {
  readonly cellMs: number
  readonly interruptGraceMs: number
  readonly limits: Partial<Limits>
  readonly desk: HostDesk | undefined
  /** Starts a control process; resolves when its first worker is ready. */
  start(listener: LinkListener): Promise<{ link: ControlLink; runtime: SessionRuntime }>
}

/** Runs the cells of one session. */
export class SessionEngine implements LinkListener {
  runtime: SessionRuntime = { version: '', executable: '' }
  epoch = 1
  readonly #parts: EngineParts
  #link: ControlLink | undefined
  #cell: CellUnderWay | undefined
  #cells = 0
  /** Names that the last cell left behind. */
  #variables: readonly string[] = []
  /** To be told with the next cell. */
  #untold: SessionLoss | undefined
  readonly #idle = new IdleOutput()
  /** Replacements asked for so far. */
  #replacements = 0
  /** Who waits for a fresh worker, and after which replacement. */
  #restarting: { readonly replacement: number; resolve(): void }[] = []
  #isClosing = false
  #isCalling = false

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /** Starts the language, unless it runs. @throws what `parts.start` throws */
  async ensureLink(): Promise<ControlLink> {
    if (this.#link !== undefined) return this.#link
    const { link, runtime } = await this.#parts.start(this)
    this.#link = link
    this.runtime = runtime
    return link
  }

  /** Runs one cell; the one before must have ended. @throws what `parts.start` throws */
  async run(code: string, { timeoutMs, signal, onOutput, name }: CellOptions): Promise<CellResult> {
    const link = await this.ensureLink()
    if (this.#isClosing) {
      await link.close()
      return abortedCell(this.epoch)
    }
    const limitMs = timeoutMs ?? this.#parts.cellMs
    const cell = new CellUnderWay({
      number: ++this.#cells,
      epoch: this.epoch,
      outputBytes: this.#parts.limits.outputBytes ?? DEFAULT_LIMITS.outputBytes,
      onOutput,
      earlier: this.#idle.take(),
      restarted: this.#untold,
    })
    this.#untold = undefined
    this.#cell = cell
    const request = { code, file: name ?? `<cell ${cell.number}>` }
    link.send(TO_GUEST.run, cell.number, Buffer.from(JSON.stringify(request)))
    const cancelLimit = startTimer(limitMs, () =>
      this.#stop(cell, { kind: 'timeout', clock: 'wall', limitMs }),
    )
    const forget = signal && onAbort(signal, () => this.#stop(cell, ABORTED))
    try {
      return await cell.result
    } finally {
      cancelLimit()
      forget?.()
    }
  }

  /** Interrupts the cell that runs. */
  interrupt(): void {
    if (this.#cell !== undefined) this.#stop(this.#cell, ABORTED)
  }

  /** Puts a fresh worker in the place of the one that is there. */
  async restart(): Promise<void> {
    const link = this.#link
    if (link === undefined) return
    if (this.#cell !== undefined) this.#cell.cause ??= ABORTED
    const cancel = startTimer(REPLACE_DEADLINE_MS, () => link.fail('it did not replace its worker'))
    await new Promise<void>((resolve) => {
      this.#restarting.push({ replacement: ++this.#replacements, resolve })
      link.send(TO_GUEST.replace, this.#replacements)
    })
    cancel()
  }

  /** Ends everything. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#cell !== undefined) this.#cell.cause ??= ABORTED
    this.#parts.desk?.drop()
    await this.#link?.close()
    this.#settle((cell) => cell.end(ABORTED))
  }

  /** Whatever the control process says. @throws for what it cannot say */
  onFrame({ type, id, payload }: Frame): void {
    const cell = this.#cell?.number === id ? this.#cell : undefined
    if (type === FROM_GUEST.stdout || type === FROM_GUEST.stderr)
      this.#take(type === FROM_GUEST.stdout ? 'stdout' : 'stderr', payload)
    else if (type === FROM_GUEST.died) this.#died(id, payload)
    else if (type === FROM_GUEST.call) void this.#call(id, payload)
    else if (type === FROM_GUEST.ready) this.#ready(id)
    else if (type !== FROM_GUEST.display && type !== FROM_GUEST.done)
      throw new Error(`it sent a frame of the unknown type ${type}`)
    // What is said of a cell that is over says nothing of the next.
    else if (cell !== undefined && type === FROM_GUEST.display) this.#show(cell, payload)
    else if (cell !== undefined) this.#done(cell, payload)
  }

  /** The control process has ended. */
  onEnd(end: LinkEnd): void {
    this.#link = undefined
    this.#parts.desk?.drop()
    const closing = this.#isClosing
    const loss = closing
      ? undefined
      : this.#lose(toLoss('lost', "the session's process was lost", this.#variables))
    this.#settle((cell) => cell.end(closing ? ABORTED : outcomeOfLink(end), loss))
    this.#ready(this.#replacements)
  }

  /** A fresh worker is there, which may still be one of before the last replacement. */
  #ready(replacement: number): void {
    const served = this.#restarting.filter((one) => one.replacement <= replacement)
    this.#restarting = this.#restarting.filter((one) => one.replacement > replacement)
    for (const { resolve } of served) resolve()
  }

  /** Interrupts the cell, and has its worker replaced when that does not help. */
  #stop(cell: CellUnderWay, cause: Outcome): void {
    const link = this.#link
    if (this.#cell !== cell || cell.cause !== undefined || link === undefined) return
    cell.cause = cause
    this.#parts.desk?.drop()
    const { interruptGraceMs } = this.#parts
    const interrupt = (): void => link.send(TO_GUEST.interrupt, cell.number)
    interrupt()
    // The second one ends a child that it waits for, the third what it goes on with then.
    const later = [0.5, 0.75].map((share) => startTimer(interruptGraceMs * share, interrupt))
    const cancel = startTimer(interruptGraceMs, () => this.#replace(cell, link))
    void cell.result.then(() => {
      for (const stop of [...later, cancel]) stop()
    })
  }

  #replace(cell: CellUnderWay, link: ControlLink): void {
    link.send(TO_GUEST.replace, ++this.#replacements)
    const cancel = startTimer(REPLACE_DEADLINE_MS, () => link.fail('it did not replace its worker'))
    void cell.result.then(cancel)
  }

  /** Output is the present cell's, though it be of no cell: that was on its way as this one was sent. */
  #take(stream: 'stdout' | 'stderr', data: Uint8Array): void {
    const to = this.#cell ?? this.#idle
    to.push(stream, data)
  }

  #show(cell: CellUnderWay, payload: Uint8Array): void {
    const bundle = readMessage(bundleSchema, payload)
    if (bundle === undefined) this.#spoil(cell)
    else cell.show(bundle)
  }

  #done(cell: CellUnderWay, payload: Uint8Array): void {
    const report = readMessage(doneSchema, payload)
    if (report === undefined) return void this.#spoil(cell)
    this.#variables = report.names
    this.#settle(() => cell.finish(report))
  }

  /** What its worker says cannot be: nothing that comes from there can be believed any more. */
  #spoil(cell: CellUnderWay): void {
    cell.cause ??= SPOILT
    if (this.#link !== undefined) this.#replace(cell, this.#link)
  }

  #died(id: number, payload: Uint8Array): void {
    const end = readMessage(diedSchema, payload)
    if (end === undefined) throw new Error('it could not say how its worker ended')
    this.#parts.desk?.drop()
    const cell = this.#cell
    // For the control process a cell is over that has said so, in whatever words.
    const isOver = cell !== undefined && (id === cell.number || cell.cause === SPOILT)
    const loss = this.#lose(
      this.#restarting.length > 0
        ? toLoss('restart', 'this was asked for', this.#variables)
        : lossByEnd(end, isOver ? cell.cause : undefined, this.#variables),
    )
    if (cell === undefined) return
    if (isOver) this.#settle(() => cell.end(outcomeOf(end, this.#parts.limits), loss))
    else {
      // It died between two cells, and the one that was sent meanwhile runs in its successor.
      cell.restarted = loss
      cell.epoch = this.epoch
      this.#untold = undefined
    }
  }

  async #call(id: number, payload: Uint8Array): Promise<void> {
    const { desk } = this.#parts
    const link = this.#link
    if (desk === undefined || link === undefined) return
    // The control process holds the next one back until this one is answered.
    if (this.#isCalling) return void link.fail('it asked for two things at once')
    this.#isCalling = true
    const answer = await desk.answer(payload)
    this.#isCalling = false
    link.send(TO_GUEST.reply, id, answer)
  }

  #lose(loss: SessionLoss): SessionLoss {
    this.epoch++
    this.#variables = []
    this.#untold = loss
    return loss
  }

  #settle(how: (cell: CellUnderWay) => void): void {
    const cell = this.#cell
    this.#cell = undefined
    if (cell !== undefined) how(cell)
  }
}

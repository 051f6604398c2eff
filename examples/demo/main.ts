// npm start: three tasks, each written by a model, run for real, and mended until its checks pass.
import { fileURLToPath } from 'node:url'
import { MendloopError, type RepairResult } from '@mendloop/core'
import { HELP, parseArguments } from './arguments.js'
import { chooseModel } from './choose-model.js'
import { chooseSandbox } from './choose-sandbox.js'
import { DemoError } from './demo-error.js'
import { type Ending, endingOf } from './ending.js'
import { runTask } from './run-task.js'
import type { DemoTask, TaskLetter } from './tasks/demo-task.js'
import { fallingCustomers } from './tasks/falling-customers.js'
import { DEFAULT_CSV, incidents } from './tasks/incidents.js'
import { priceFeed } from './tasks/price-feed.js'
import { Terminal } from './terminal.js'
import { headerLines, noteLines, notTriedLines, summaryLines, type TaskSummary } from './view/pages.js'

const DEFAULT_OUT = fileURLToPath(new URL('../../out', import.meta.url))

/** @returns the exit code */
async function demo(terminal: Terminal, { signal }: Ending): Promise<number> {
  // npm changes into the package's folder; what a person typed is relative to where they were.
  const folder = (process.env['npm_lifecycle_event'] === 'start' && process.env['INIT_CWD']) || process.cwd()
  const asked = parseArguments(process.argv.slice(2), folder)
  if (asked.help) {
    terminal.print([HELP.trimEnd()])
    return 0
  }
  const make: Record<TaskLetter, () => DemoTask> = {
    a: priceFeed,
    b: fallingCustomers,
    c: () => incidents(asked.csv ?? DEFAULT_CSV, asked.request),
  }
  const tasks = asked.tasks.map((letter) => make[letter]())
  const model = chooseModel(process.env)
  terminal.busy('looking at what this machine offers')
  const sandbox = await chooseSandbox(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (sandbox === undefined) {
    terminal.print(notTriedLines(terminal.page(), tasks))
    return 1
  }
  terminal.print(headerLines(terminal.page(), model, sandbox))

  const summaries: TaskSummary[] = []
  for (const task of tasks) {
    const surroundings = { model, sandbox, terminal, out: asked.out ?? DEFAULT_OUT, signal }
    const result = await runTask(task, surroundings)
    summaries.push({ title: task.title, status: result.status, spent: result.spent })
    if (signal.aborted || isHopeless(result)) break
  }
  const notTried = tasks.slice(summaries.length)
  // One task that could not even begin has said why; a table would add nothing.
  if (summaries.some(({ spent }) => spent.modelCalls > 0))
    terminal.print(summaryLines(terminal.page(), summaries, model.recorded))
  terminal.print(notTriedLines(terminal.page(), notTried))
  if (model.recorded && !signal.aborted) {
    const more =
      'The replies were recorded. Set OPENAI_API_KEY or OPENAI_BASE_URL to have a live model write them.'
    terminal.print(['', ...noteLines(terminal.page(), more)])
  }
  return notTried.length === 0 && summaries.every(({ status }) => status === 'verified') ? 0 : 1
}

/** The next task would fail in the same way: the server refuses the key, or is not there. */
const isHopeless = (result: RepairResult): boolean => result.status === 'environment-lost'

/** One readable message; a stack only for what is a fault of ours. */
function messageOf(error: unknown): string {
  if (error instanceof DemoError || MendloopError.is(error)) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const terminal = new Terminal(process.stdout, process.env)
const ending = endingOf(process)
let exitCode = 1
try {
  exitCode = await demo(terminal, ending)
} catch (error) {
  terminal.busy(undefined)
  if (error instanceof DemoError) exitCode = error.exitCode
  if (!ending.signal.aborted) {
    const { style } = terminal.page()
    process.stderr.write(`${style.red('error:')} ${messageOf(error)}\n`)
  }
}
await terminal.end()
process.exit(ending.exitCode ?? exitCode)

// A reporter for vitest: which tests did not run, and why. With MENDLOOP_REQUIRE_ALL=1, a skip without a reason fails the run.
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import type { SkipKind } from '../packages/core/test/helpers/skips.js'

/** Why tests are skipped: what their file says, what they say themselves while they run, or nothing. */
type Source = SkipKind | 'said' | 'silent'

const HEADINGS: Readonly<Record<Source, string>> = {
  missing: 'for something that is missing here',
  elsewhere: 'since they need another machine or user',
  said: 'since they do not apply, as they found',
  silent: 'without a reason: pass it through packages/core/test/helpers/skips.ts',
}

/** How many tests are skipped for reasons of one kind, and how often each was told. */
interface Skips {
  tests: number
  readonly reasons: Map<string, number>
}

/** Counts and prints what was skipped. */
export default class SkipReport implements Reporter {
  #filtered = false

  onInit(vitest: Vitest): void {
    // Then most tests are skipped because nobody asked for them.
    this.#filtered = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#filtered) return
    const skips: Record<Source, Skips> = { missing: none(), elsewhere: none(), said: none(), silent: none() }
    for (const module of modules) addModule(skips, module)
    process.stderr.write(summary(skips))
    if (skips.silent.tests > 0 && process.env['MENDLOOP_REQUIRE_ALL'] === '1') process.exitCode = 1
  }
}

const none = (): Skips => ({ tests: 0, reasons: new Map() })

function addModule(skips: Readonly<Record<Source, Skips>>, module: TestModule): void {
  const kinds = new Set<SkipKind>()
  const unexplained: string[] = []
  for (const test of module.children.allTests('skipped')) {
    const result = test.result()
    const { skipReason } = test.meta()
    if (skipReason !== undefined) {
      kinds.add(skipReason)
      add(skips[skipReason], test.name, 0)
    } else if (result.state === 'skipped' && result.note !== undefined) add(skips.said, result.note, 1)
    else unexplained.push(`${module.relativeModuleId}: ${test.fullName}`)
  }
  if (kinds.size === 0) for (const name of unexplained) add(skips.silent, name, 1)
  // A file does not tell which of its reasons holds for which test.
  else skips[kinds.has('missing') ? 'missing' : 'elsewhere'].tests += unexplained.length
}

function add(skips: Skips, reason: string, tests: number): void {
  skips.tests += tests
  skips.reasons.set(reason, (skips.reasons.get(reason) ?? 0) + 1)
}

function summary(skips: Readonly<Record<Source, Skips>>): string {
  const groups = Object.entries(HEADINGS).flatMap(([source, heading]) => {
    const { tests, reasons } = skips[source as Source]
    if (reasons.size === 0) return []
    const lines = [...reasons].map(([reason, times]) => `    ${times > 1 ? `${times} × ` : ''}${reason}`)
    return [`  ${tests} ${heading}:`, ...lines.sort()]
  })
  return groups.length === 0 ? '' : `\nTests that were skipped:\n${groups.join('\n')}\n`
}

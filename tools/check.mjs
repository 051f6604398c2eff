// npm run check [-- --without NAME,…] [--only NAME,…]: everything that must hold before a commit. Each step is one line;
// what a step says is shown when it fails, and the others go on.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (path) => `node_modules/${path}`

/** `after`: steps that must have passed before. Long steps first, so that short ones fill the gaps. */
const STEPS = [
  { name: 'build', run: ['tools/build.mjs'] },
  { name: 'types', run: [bin('typescript-7/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'lint', run: [bin('@biomejs/biome/bin/biome'), 'check', '.'] },
  { name: 'imports', run: ['tools/check-imports.mjs'] },
  { name: 'packages', run: ['tools/check-packages.mjs'], after: ['build'] },
  { name: 'api reports', run: ['tools/api-report.mjs', '--check'], after: ['build'] },
  { name: 'docs', run: [bin('typedoc/bin/typedoc'), '--emit', 'none'] },
  { name: 'unused code', run: [bin('knip/bin/knip.js')] },
  // Alone and last: tests watch the clock.
  { name: 'tests and coverage', run: [bin('vitest/vitest.mjs'), 'run', '--coverage'], alone: true },
]

const USAGE = `Usage: npm run check -- [--only NAME,…] [--without NAME,…]
  There are: ${STEPS.map(({ name }) => name).join(', ')}`

const values = readArguments()
const steps = chosenSteps()
const children = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
    process.exit(1)
  })
}

const startedAt = Date.now()
const passed = new Map()
const alone = steps.filter((step) => step.alone)
const together = steps.filter((step) => !step.alone)
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, () => work(together)))
await work(alone)

const failed = [...passed].filter(([, ok]) => !ok).map(([name]) => name)
const seconds = Math.round((Date.now() - startedAt) / 1000)
console.log(
  failed.length === 0
    ? `\nall ${steps.length} checks passed (${seconds} s)`
    : `\nfailed: ${failed.join(', ')}`,
)
process.exitCode = failed.length === 0 ? 0 : 1

/** Takes steps whose turn has come until none is left. */
async function work(queue) {
  while (queue.length > 0) {
    const index = queue.findIndex(({ after = [] }) =>
      after.every((name) => passed.has(name) || !isChosen(name)),
    )
    if (index === -1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    const [step] = queue.splice(index, 1)
    passed.set(step.name, await runStep(step))
  }
}

async function runStep({ name, run, after = [] }) {
  if (after.some((one) => passed.get(one) === false)) {
    console.log(`not run  ${name}: ${after.join(', ')} failed`)
    return false
  }
  const began = Date.now()
  const child = spawn(process.execPath, run, {
    cwd: root,
    env: { ...process.env, CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ok = await new Promise((resolve) => child.once('close', (code) => resolve(code === 0)))
  children.delete(child)
  console.log(`${ok ? 'ok       ' : 'FAILED   '}${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  if (!ok) console.log(output.trimEnd().replaceAll(/^/gm, '    '))
  return ok
}

function readArguments() {
  try {
    const options = {
      without: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    }
    const { values } = parseArgs({ options })
    if (!values.help) return values
    console.log(USAGE)
    process.exit(0)
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`)
    process.exit(2)
  }
}

function chosenSteps() {
  const names = STEPS.map(({ name }) => name)
  const odd = [values.without, values.only]
    .flatMap((list) => list?.split(',') ?? [])
    .find((name) => !names.includes(name))
  if (odd !== undefined) {
    console.error(`"${odd}" is not a check; there are: ${names.join(', ')}`)
    process.exit(2)
  }
  return STEPS.filter(({ name }) => isChosen(name))
}

function isChosen(name) {
  if (values.only !== undefined) return values.only.split(',').includes(name)
  return !(values.without?.split(',') ?? []).includes(name)
}

// Where a text does not parse. A module that is merely loaded does not say it; Node's own check does.
import { spawnSync } from 'node:child_process'

const CHECK_MS = 10_000

/** The 1-based line at which a text is no JavaScript, or undefined. The text is parsed, never run. */
export function faultyLine(text, type = 'module') {
  const argv = ['--check', `--input-type=${type}`, '-']
  const { stderr } = spawnSync(process.execPath, argv, {
    input: text,
    timeout: CHECK_MS,
    encoding: 'utf8',
    env: {},
  })
  const [, line] = /^\[stdin\]:(\d+)$/mu.exec(stderr ?? '') ?? []
  return line === undefined ? undefined : Number(line)
}

// What a log puts before each line of a program's output, taken off: times, names of jobs, marks of a CI service.

/** A time, as services and `ts` write it, with or without brackets, and what GitLab writes behind it. */
const TIME =
  /^\uFEFF?\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE][ +]| ?)|^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? /u
/** The two columns of `gh run view --log`. */
const COLUMNS = /^[^\t]{1,200}\t[^\t]{1,200}\t/u
/** `[job] `, `name  | ` of compose, `package:task: ` and `folder task: ` of monorepos. */
const NAME =
  /^(?:\[(?!gw\d)[^\]\n]{1,80}\] ?|[\w@./-]{1,80} *\| ?|[\w@./-]{1,80}(?:[ :#](?!\d)[\w-]{1,40})?: ?)/u
/** Lines by which a CI service folds or colours its log, and repeats what the runner says. */
const SERVICE =
  /^(?:##\[\w+\]|::(?:group|endgroup|error|warning|notice|debug|add-mask)\b|section_(?:start|end):\d)/u

const MOST_LAYERS = 4
/** Of the lines that say something; what a log puts before its lines is before nearly all of them. */
const SHARE = 0.6
/** So many lines tell what stands before all of them. */
const SAMPLE = 2000

/**
 * The outputs in a log, layer by layer: first the lines as they are, then without what the log put before them, then
 * without what stood before that. Lines of jobs that run at once, each with a name before it, are put together again by
 * that name. Marks of a CI service are left out.
 */
export function* logLayers(lines: readonly string[]): Generator<readonly (readonly string[])[]> {
  let streams: readonly (readonly string[])[] = [lines]
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    yield streams.map((stream) => stream.filter((line) => !SERVICE.test(line)))
    const peeled: readonly (readonly string[])[] = streams.flatMap((stream) => peel(stream))
    if (peeled.length === streams.length && peeled.every((one, index) => one === streams[index])) return
    streams = peeled
  }
}

/** One layer less; the lines themselves when nothing stands before them. */
function peel(lines: readonly string[]): readonly (readonly string[])[] {
  const step = Math.max(1, Math.floor(lines.length / SAMPLE))
  const sample = lines.filter((line, index) => index % step === 0 && line.trim() !== '')
  const enough = Math.max(1, sample.length * SHARE)
  const has = (pattern: RegExp): boolean => sample.filter((line) => pattern.test(line)).length >= enough
  for (const pattern of [TIME, COLUMNS])
    if (has(pattern)) return [lines.map((line) => line.replace(pattern, ''))]
  return has(NAME) ? byName(lines) : [lines]
}

function byName(lines: readonly string[]): string[][] {
  const streams = new Map<string, string[]>()
  let current: string[] | undefined
  for (const line of lines) {
    const prefix = NAME.exec(line)?.[0]
    if (prefix !== undefined) {
      const key = prefix.trimEnd()
      current = streams.get(key) ?? []
      streams.set(key, current)
      current.push(line.slice(prefix.length))
    } else if (current !== undefined) current.push(line)
  }
  return [...streams.values()]
}

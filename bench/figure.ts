// A benchmark figure: a ratio or a time, the line it should stay within, and the line past which it fails.

/** One figure, as it stands in the JSON file. */
export interface Figure {
  /** Stable name, such as `exec.process.overF`. */
  readonly name: string
  /** What was measured; null when the environment for it is missing. */
  readonly value: number | null
  /** `ratio`, `ms`, … */
  readonly unit: string
  /** What a ratio is measured against, in its own unit; null for a plain time. */
  readonly baseline: { readonly name: string; readonly value: number; readonly unit: string } | null
  readonly target: number
  readonly fail: number
  /** How many measurements it is made from. */
  readonly samples: number
  /** Why there is no value. */
  readonly skipped?: string
}

/** What a figure is, before it is measured. */
export type FigureGoal = Pick<Figure, 'name' | 'unit' | 'target' | 'fail'>

/** What measuring it gave. */
export type Measurement = Pick<Figure, 'value' | 'baseline' | 'samples'> | { readonly skipped: string }

/** A figure and how to get it. */
export interface Benchmark extends FigureGoal {
  measure(): Promise<Measurement>
}

/** Goal and measurement together. */
export function toFigure({ name, unit, target, fail }: FigureGoal, measured: Measurement): Figure {
  const none = { value: null, baseline: null, samples: 0 }
  return { name, unit, target, fail, ...none, ...measured }
}

/** Where a figure stands. A goal whose fail line lies under its target is one to be above. */
export function standing({ value, target, fail }: Figure): 'ok' | 'past target' | 'FAIL' | 'skipped' {
  if (value === null) return 'skipped'
  const sign = fail < target ? -1 : 1
  if (sign * value > sign * fail) return 'FAIL'
  return sign * value > sign * target ? 'past target' : 'ok'
}

/** What the table's own words mean. */
export const WORDS = `\
F: the time from start to end of a bare Python that prints one line, started by Node without the SDK.
past target: worse than the target and still within the fail line; only FAIL makes the exit code 1.`

/** The figures as lines with aligned columns. */
export function table(figures: readonly Figure[]): string {
  const heading = ['figure', 'value', 'unit', 'target', 'fail', 'baseline', 'samples', '']
  const rows = figures.map((figure) => [
    figure.name,
    figure.value === null ? '–' : String(figure.value),
    figure.unit,
    bound(figure, figure.target),
    bound(figure, figure.fail),
    figure.baseline === null
      ? ''
      : `${figure.baseline.name} ${figure.baseline.value} ${figure.baseline.unit}`,
    String(figure.samples),
    figure.skipped === undefined ? standing(figure) : `skipped: ${figure.skipped}`,
  ])
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const bound = ({ target, fail }: Figure, value: number): string => `${fail < target ? '≥' : '≤'} ${value}`

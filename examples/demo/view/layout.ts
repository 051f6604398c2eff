// The shape of the report: a label in a gutter, text beside it, quoted lines behind a bar.
import type { Style } from './style.js'
import { cutToWidth, plainLine, textWidth, wrap } from './text-width.js'

const GUTTER = 9

/** How to write: colours and columns. */
export interface Page {
  readonly style: Style
  /** Columns of the terminal. */
  readonly width: number
}

/** `label    text`, wrapped beside the label; `paint` colours each line of text. */
export function labelled(
  { style, width }: Page,
  label: string,
  text: string,
  paint: (line: string) => string = (line) => line,
): string[] {
  const lines = wrap(plainLine(text), Math.max(20, width - GUTTER))
  return lines.map((line, index) => {
    const shown = index === 0 ? label : ''
    return `${style.bold(shown)}${''.padEnd(GUTTER - shown.length)}${paint(line)}`.trimEnd()
  })
}

/** A line that continues under the text of a label; an empty one holds no blanks. */
export const indented = (text: string): string => (' '.repeat(GUTTER) + text).trimEnd()

/** Quoted text: one line each behind a bar, cut to the width. */
export function quoted(
  { style, width }: Page,
  lines: readonly string[],
  paint: (line: string) => string = (line) => line,
): string[] {
  const room = Math.max(20, width - GUTTER - 2)
  return lines.map((line) =>
    indented(`${style.dim('│')} ${paint(cutToWidth(plainLine(line), room).trimEnd())}`),
  )
}

/** `── title ───…` across the page. */
export function rule({ style, width }: Page, title: string, stroke = '─'): string {
  const shown = cutToWidth(title, Math.max(1, width - 6))
  const used = textWidth(shown) + 4
  return `${style.dim(stroke.repeat(2))} ${style.bold(shown)} ${style.dim(stroke.repeat(Math.max(2, width - used)))}`
}

/** `1 file`, `2 files`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `850 ms`, `4.2 s`, `3 min 05 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 995) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** `25.9 KB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

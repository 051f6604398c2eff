// Opens the file of incidents and looks it over, so that a wrong one is a sentence and not a failed program.
import { readFileSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { csvRows } from './checks/csv.js'
import { isZip, zipEntries } from './checks/zip.js'
import { type DemoError, usageError } from './demo-error.js'

/** The sandbox's workspace holds 256 MiB; the file and what the program writes have to fit. */
const MOST_BYTES = 200 * 1024 * 1024

/** More months than this cannot be told apart in a chart, and speak of a wrong date rather than of a long time. */
const MOST_YEARS = 200

const DATE = 'Incident Datetime'
const COLUMNS = [DATE, 'Latitude', 'Longitude'] as const

/** What spreadsheets put between columns where the comma is the decimal mark, and what a copy of theirs has. */
const OTHER_SEPARATORS = [
  { mark: ';', name: 'semicolons' },
  { mark: '\t', name: 'tabs' },
  { mark: '|', name: 'vertical bars' },
] as const

/** An incident that has a month and a place. */
export interface Incident {
  /** As `2023-07`. */
  readonly month: string
  readonly latitude: number
  readonly longitude: number
}

/** A file of incidents that was looked over. */
export interface IncidentFile {
  /** What it is called in the workspace. */
  readonly name: 'incidents.csv' | 'incidents.zip'
  /** What it is called here. */
  readonly shownName: string
  readonly bytes: Uint8Array
  /** Its first lines. */
  readonly head: readonly string[]
  readonly incidents: readonly Incident[]
  /** Rows besides the header, usable or not. */
  readonly rows: number
}

/** @throws DemoError saying what is wrong with the file and what was expected */
export function readIncidentFile(path: string): IncidentFile {
  const shown = JSON.stringify(path)
  const bytes = readBytes(path, shown)
  const zipped = isZip(bytes)
  if (!zipped && bytes.length > 0 && /\.zip$/i.test(path))
    throw usageError(
      `The file ${shown} is named .zip and is no zip archive. Name a .csv file, or a .zip that holds one.`,
    )
  const csv = zipped ? csvInZip(bytes, shown) : bytes
  if (csv.length === 0)
    throw usageError(`The file ${shown} is empty. It must be a CSV with a row of column names.`)
  if (csv.includes(0))
    throw usageError(
      `The file ${shown} is not a text file: it holds zero bytes. It must be a CSV in UTF-8, or a .zip that holds one.`,
    )
  // Decoding drops a byte order mark, and puts U+FFFD for what is no UTF-8.
  const text = new TextDecoder().decode(csv)
  const { incidents, rows } = incidentsIn(text, shown)
  const name = zipped ? 'incidents.zip' : 'incidents.csv'
  return {
    name,
    shownName: basename(path),
    bytes,
    head: text
      .slice(0, 2_000)
      .split(/\r\n|\r|\n/)
      .slice(0, 3),
    incidents,
    rows,
  }
}

function readBytes(path: string, shown: string): Buffer {
  let stat: Stats
  try {
    stat = statSync(path)
  } catch (error) {
    throw unreadable(shown, error)
  }
  if (stat.isDirectory())
    throw usageError(`${shown} is a folder. Name a .csv file, or a .zip that holds one.`)
  if (!stat.isFile())
    throw usageError(`${shown} is not a regular file. Name a .csv file, or a .zip that holds one.`)
  if (stat.size > MOST_BYTES) throw tooBig(shown, stat.size)
  try {
    return readFileSync(path)
  } catch (error) {
    throw unreadable(shown, error)
  }
}

function unreadable(shown: string, error: unknown): DemoError {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT' || code === 'ENOTDIR') return usageError(`There is no file ${shown}.`, error)
  if (code === 'EACCES' || code === 'EPERM')
    return usageError(`The file ${shown} may not be read by this user.`, error)
  return usageError(`The file ${shown} cannot be read: ${(error as Error).message}`, error)
}

const tooBig = (shown: string, sizeBytes: number): DemoError =>
  usageError(
    `The file ${shown} has ${Math.ceil(sizeBytes / 1024 / 1024)} MiB; this demo takes up to ${MOST_BYTES / 1024 / 1024} MiB.`,
  )

function csvInZip(bytes: Buffer, shown: string): Buffer {
  try {
    const entries = zipEntries(bytes)
    // Archives made on a Mac carry a shadow of each file beside it.
    const found = entries.filter(({ name }) => /\.csv$/i.test(name) && !name.startsWith('__MACOSX/'))
    const [csv, another] = found
    if (csv === undefined || another !== undefined) {
      const names = (csv === undefined ? entries : found).map(({ name }) => JSON.stringify(name))
      const list =
        names.length === 0
          ? 'it is empty'
          : `it holds ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
      throw usageError(`The archive ${shown} must hold exactly one .csv file; ${list}.`)
    }
    if (csv.sizeBytes > MOST_BYTES) throw tooBig(`${csv.name} in ${shown}`, csv.sizeBytes)
    return csv.read()
  } catch (error) {
    if (error instanceof Error && error.name === 'DemoError') throw error
    throw usageError(`The archive ${shown} cannot be read: ${(error as Error).message}.`, error)
  }
}

function incidentsIn(text: string, shown: string): { incidents: Incident[]; rows: number } {
  const all = csvRows(text)
  const header =
    text.startsWith('\n') || text.startsWith('\r') ? [] : ((all.next().value as string[] | undefined) ?? [])
  const missing = COLUMNS.filter((column) => !header.includes(column))
  if (missing.length > 0) {
    const separator = OTHER_SEPARATORS.find(({ mark }) => header.join(',').includes(mark))
    if (separator !== undefined && missing.length === COLUMNS.length)
      throw usageError(
        `The columns of ${shown} are separated by ${separator.name}; they must be separated by commas. ` +
          'Save it as CSV with commas (and with a point in decimal numbers).',
      )
    const found = header.slice(0, 12).map((name) => JSON.stringify(name.slice(0, 40)))
    throw usageError(
      `The file ${shown} has no column ${missing.map((column) => `"${column}"`).join(', ')}. ` +
        `Its first line names ${found.join(', ') || 'nothing'}${header.length > 12 ? ', …' : ''}.`,
    )
  }
  const [date, latitude, longitude] = COLUMNS.map((column) => header.lastIndexOf(column)) as [
    number,
    number,
    number,
  ]
  const incidents: Incident[] = []
  let rows = 0
  for (const row of all) {
    rows++
    const incident = toIncident(row[date], row[latitude], row[longitude])
    if (incident !== undefined) incidents.push(incident)
  }
  if (rows === 0) throw usageError(`The file ${shown} has column names and no rows.`)
  if (incidents.length === 0)
    throw usageError(
      `${rows === 1 ? `The one row of ${shown} cannot` : `None of the ${rows} rows of ${shown} can`} be used: "${DATE}" must begin like 2023-07-22, and "Latitude" and ` +
        '"Longitude" must be degrees.',
    )
  const years = incidents.map(({ month }) => Number(month.slice(0, 4)))
  const [first, last] = years.reduce(
    ([low, high], year) => [Math.min(low, year), Math.max(high, year)],
    [9999, 0],
  )
  if (last - first >= MOST_YEARS)
    throw usageError(
      `The dates in ${shown} go from ${first} to ${last}; this demo draws up to ${MOST_YEARS} years.`,
    )
  return { incidents, rows }
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/

function toIncident(date = '', latitude = '', longitude = ''): Incident | undefined {
  const match = /^(\d{4})[-/](0[1-9]|1[0-2])[-/]\d\d/.exec(date.trim())
  if (match === null || !NUMBER.test(latitude) || !NUMBER.test(longitude)) return undefined
  const place = { latitude: Number(latitude), longitude: Number(longitude) }
  if (Math.abs(place.latitude) > 90 || Math.abs(place.longitude) > 180) return undefined
  return { month: `${match[1]}-${match[2]}`, ...place }
}

// Kind `write-files`: which names a workspace takes, and that nothing ever lands outside it.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { extractCandidate, MendloopError, type Sandbox } from '@mendloop/core'
import type { BugCase, CaseOutcome, Fields } from './bug-case.js'
import {
  all,
  asBoolean,
  asFilledEntries,
  asFilledList,
  asList,
  asObject,
  asObjectOf,
  asText,
  type Complaint,
  equals,
  NotUnderstood,
} from './expectation.js'
import { languageOfReply } from './language-names.js'
import { caseSandbox } from './names.js'

/** What happened to one name that was asked for. */
interface Attempt {
  readonly name: string
  readonly accepted: boolean
  /** Files in the workspace afterwards. */
  readonly files: readonly string[]
  /** A good file that was asked for in the same call is there, although the call was refused. */
  readonly partial: boolean
  /** Places outside the workspace where the name turned up. */
  readonly outside: readonly string[]
}

/** Runs a case of kind `write-files`. */
export async function runWriteFilesCase(bugCase: BugCase): Promise<CaseOutcome> {
  const file = asText(bugCase.input['input'])
  const text = readFileSync(join(bugCase.folder, file), 'utf8')
  const absolute = mkdtempSync(join(tmpdir(), 'mendloop-case-'))
  try {
    const attempts: Attempt[] = []
    let used: string | undefined
    if (file.endsWith('.json')) {
      const { names, setup = {} } = asObjectOf(JSON.parse(text), ['names', 'setup'])
      for (const given of asFilledList(names).map(asText)) {
        const name = given.replaceAll('{{ABSOLUTE}}', absolute)
        attempts.push({ ...(await tryToWrite(name, asObject(setup), absolute)), name: given })
      }
    } else {
      const extraction = extractCandidate(text, { language: languageOfReply(text) })
      if (extraction.status !== 'ok') return { status: 'failed', reasons: [extraction.failure.message] }
      used = extraction.candidate.entry
      for (const name of Object.keys(extraction.candidate.files))
        attempts.push(await tryToWrite(name, {}, absolute))
      // The name that the code wishes for must not turn up either, even if nobody asked the workspace for it.
      const wished = [...text.matchAll(/file ?name:\s*(\S+)/gi)].flatMap(([, name]) => (name ? [name] : []))
      for (const name of wished)
        attempts.push({ ...NOTHING, name, outside: placesOutside(name, absolute, absolute) })
    }
    const reasons = complaintsAbout(bugCase.expect, attempts, used)
    return reasons.length === 0 ? { status: 'passed' } : { status: 'failed', reasons }
  } finally {
    rmSync(absolute, { recursive: true, force: true })
  }
}

const NOTHING = { accepted: false, files: [], partial: false }
const GOOD = 'good-neighbour.txt'

/** Asks a fresh workspace for one name alone, and for the same name next to a good one. */
async function tryToWrite(name: string, setup: Fields, absolute: string): Promise<Attempt> {
  await using sandbox = await caseSandbox().create()
  await prepare(sandbox, setup, absolute)
  const accepted = await accepts(sandbox, { [name]: 'content\n' })
  const files = (await sandbox.files.list()).map(({ path }) => path)
  const together = await accepts(sandbox, { [GOOD]: 'good\n', [name]: 'content\n' })
  const partial = !together && (await sandbox.files.stat(GOOD)) !== undefined
  return { name, accepted, files, partial, outside: placesOutside(name, absolute, sandbox.workdir) }
}

async function accepts(sandbox: Sandbox, files: Record<string, string>): Promise<boolean> {
  try {
    await sandbox.files.write(files)
    return true
  } catch (error) {
    if (MendloopError.is(error)) return false
    throw error
  }
}

/** Each key of "setup" is a name, each value a sentence that says what stands there before the call. */
async function prepare(sandbox: Sandbox, setup: Fields, absolute: string): Promise<void> {
  for (const [name, sentence] of Object.entries(setup)) {
    const words = asText(sentence)
    const { ok } = await sandbox.exec({ argv: ['sh', '-c', setupOf(words), 'sh', name, absolute] })
    if (!ok) throw new Error(`"${name}" could not be made as ${words}`)
  }
}

/** What makes `$1`, in a shell; `$2` is a folder outside the workspace. */
function setupOf(words: string): string {
  if (/link\b/.test(words)) {
    if (/above|parent/.test(words)) return 'ln -s .. "$1"'
    if (/inside|within/.test(words)) return 'mkdir -p real-folder && ln -s real-folder "$1"'
    return words.includes('file') ? 'ln -s "$2/escape.txt" "$1"' : 'ln -s "$2" "$1"'
  }
  if (/\bpipe\b/.test(words)) return 'mkfifo "$1"'
  if (/\b(?:folder|directory)\b/.test(words)) return 'mkdir -p "$1"'
  if (/\bfile\b/.test(words)) return 'echo before > "$1"'
  throw new NotUnderstood(`the setup "${words}" is not known`)
}

/** Where a file of that name would be if it had left the workspace; the last part of it is what counts. */
function placesOutside(name: string, absolute: string, workdir: string): string[] {
  // A link can lead to any name; nothing of ours is ever in that folder.
  const inAbsolute = readdirSync(absolute).map((entry) => join(absolute, entry))
  const last = name.split(/[/\\]/).pop()?.replaceAll('\0', '') ?? ''
  if (['', '.', '..'].includes(last)) return inAbsolute
  const paths = [dirname(workdir), process.cwd()].map((folder) => join(folder, last))
  return [...inAbsolute, ...paths.filter((path) => existsSync(path))]
}

/** `true` claims that there are none, `false` that there are some. */
function isEmpty(what: string, wanted: unknown, found: readonly string[]): Complaint {
  if (asBoolean(wanted)) return equals(what, [], found)
  return found.length > 0 ? undefined : `${what}: expected some, got none`
}

function complaintsAbout(expect: Fields, attempts: readonly Attempt[], used: string | undefined): string[] {
  const accepted = attempts.filter((attempt) => attempt.accepted).map(({ name }) => name)
  const wantedNames = (): readonly unknown[] => asList(expect['accepted'] ?? [])
  const checks: Record<string, (wanted: unknown) => Complaint> = {
    // None at all is a claim of its own.
    accepted: (wanted) =>
      all(
        asList(wanted).length === 0 ? equals('names accepted', [], accepted) : undefined,
        ...asList(wanted).map((name) =>
          accepted.includes(asText(name)) ? undefined : `"${name}": must be accepted, but is refused`,
        ),
      ),
    acceptedAs: (wanted) =>
      all(
        ...asFilledEntries(wanted).map(([name, path]) => {
          const files = attempts.find((attempt) => attempt.name === name)?.files ?? []
          return files.includes(asText(path))
            ? undefined
            : `"${name}": must become "${path}", found ${files.join(', ')}`
        }),
      ),
    rejectedOthers: (wanted) => {
      const others = accepted.filter((name) => !wantedNames().includes(name))
      return isEmpty('other names accepted', wanted, others)
    },
    noPartialWrite: (wanted) => {
      const partial = attempts.filter((attempt) => attempt.partial).map(({ name }) => name)
      return isEmpty('names whose refusal left other files behind', wanted, partial)
    },
    nothingWrittenOutside: (wanted) =>
      isEmpty(
        'files outside the workspace',
        wanted,
        attempts.flatMap(({ outside }) => outside),
      ),
    fileNameUsed: (wanted) => {
      const [, refused] = /^not (.+)$/.exec(asText(wanted)) ?? []
      if (refused === undefined) return equals('file name used', wanted, used)
      return used === undefined || used === refused ? `file name used: must not be "${refused}"` : undefined
    },
  }
  return Object.entries(expect)
    .map(([key, wanted]) => (Object.hasOwn(checks, key) ? checks[key]?.(wanted) : `no check for "${key}"`))
    .filter((complaint) => complaint !== undefined)
}

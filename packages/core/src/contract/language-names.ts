// How languages are named: fence tags, versions and file extensions on one side, canonical ids on the other.
import { z } from 'zod'

interface LanguageNames {
  readonly aliases: readonly string[]
  readonly extensions: readonly string[]
}

/** Canonical id → other names, and file extensions with the usual one first. */
const LANGUAGES: Readonly<Record<string, LanguageNames>> = {
  python: { aliases: ['py', 'py3', 'cpython', 'ipython', 'sage'], extensions: ['py', 'pyw', 'pyi'] },
  javascript: {
    aliases: ['js', 'node', 'nodejs', 'mjs', 'cjs', 'ecmascript', 'es6'],
    extensions: ['mjs', 'js', 'cjs'],
  },
  typescript: { aliases: ['ts', 'mts', 'cts', 'deno'], extensions: ['ts', 'mts', 'cts'] },
  jsx: { aliases: ['react'], extensions: ['jsx'] },
  tsx: { aliases: [], extensions: ['tsx'] },
  shell: {
    aliases: ['sh', 'bash', 'zsh', 'ksh', 'dash', 'fish', 'shellscript', 'shell-script'],
    extensions: ['sh', 'bash', 'zsh'],
  },
  console: {
    aliases: [
      'shell-session',
      'shellsession',
      'sh-session',
      'terminal',
      'pycon',
      'doctest',
      'output',
      'stdout',
    ],
    extensions: [],
  },
  powershell: { aliases: ['ps1', 'pwsh', 'posh'], extensions: ['ps1'] },
  batch: { aliases: ['bat', 'cmd', 'dos'], extensions: ['bat', 'cmd'] },
  json: { aliases: ['jsonc', 'json5', 'geojson'], extensions: ['json', 'jsonc', 'json5'] },
  jsonl: { aliases: ['ndjson'], extensions: ['jsonl', 'ndjson'] },
  yaml: { aliases: ['yml'], extensions: ['yaml', 'yml'] },
  toml: { aliases: [], extensions: ['toml'] },
  ini: { aliases: ['cfg', 'conf', 'properties'], extensions: ['ini', 'cfg', 'conf', 'properties'] },
  csv: { aliases: ['tsv'], extensions: ['csv', 'tsv'] },
  xml: { aliases: ['svg', 'xsd', 'xslt'], extensions: ['xml', 'svg', 'xsd'] },
  html: { aliases: ['htm', 'xhtml', 'vue', 'svelte'], extensions: ['html', 'htm', 'vue', 'svelte'] },
  css: { aliases: ['scss', 'sass', 'less'], extensions: ['css', 'scss', 'sass', 'less'] },
  markdown: { aliases: ['md', 'mdx', 'rst'], extensions: ['md', 'markdown', 'mdx', 'rst'] },
  text: {
    aliases: ['txt', 'plain', 'plaintext', 'none', 'pseudocode', 'pseudo', 'log'],
    extensions: ['txt', 'log'],
  },
  sql: { aliases: ['sqlite', 'postgresql', 'postgres', 'mysql', 'plsql', 'tsql'], extensions: ['sql'] },
  diff: { aliases: ['patch', 'udiff'], extensions: ['diff', 'patch'] },
  c: { aliases: ['h'], extensions: ['c', 'h'] },
  cpp: { aliases: ['c++', 'cxx', 'cc', 'hpp'], extensions: ['cpp', 'cc', 'cxx', 'hpp', 'hh'] },
  csharp: { aliases: ['c#', 'cs', 'dotnet'], extensions: ['cs'] },
  java: { aliases: [], extensions: ['java'] },
  kotlin: { aliases: ['kt', 'kts'], extensions: ['kt', 'kts'] },
  go: { aliases: ['golang'], extensions: ['go'] },
  rust: { aliases: ['rs'], extensions: ['rs'] },
  ruby: { aliases: ['rb'], extensions: ['rb'] },
  php: { aliases: [], extensions: ['php'] },
  perl: { aliases: ['pl'], extensions: ['pl', 'pm'] },
  lua: { aliases: [], extensions: ['lua'] },
  r: { aliases: ['rscript'], extensions: ['r'] },
  swift: { aliases: [], extensions: ['swift'] },
  scala: { aliases: [], extensions: ['scala'] },
  haskell: { aliases: ['hs'], extensions: ['hs'] },
  julia: { aliases: ['jl'], extensions: ['jl'] },
  dockerfile: { aliases: ['docker'], extensions: ['dockerfile'] },
  makefile: { aliases: ['make'], extensions: ['mk'] },
}

const ID_BY_NAME = new Map<string, string>()
const ID_BY_EXTENSION = new Map<string, string>()
for (const [id, { aliases, extensions }] of Object.entries(LANGUAGES)) {
  for (const name of [id, ...aliases]) ID_BY_NAME.set(name, id)
  for (const extension of extensions) ID_BY_EXTENSION.set(extension, id)
}

/**
 * The canonical id of a language by any of its usual names: `Python3`, `py`, ` python 3.11`, `language-py` → `python`.
 *
 * @returns the name itself in lower case when it is a name this table does not hold; undefined when there is none
 */
export function languageId(name: string): string | undefined {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^(?:language|lang|brush)[-:]\s?/, '')
  if (plain === '') return undefined
  return ID_BY_NAME.get(plain) ?? ID_BY_NAME.get(withoutVersion(plain)) ?? plain
}

/** Schema of a language by any of its usual names; gives its canonical id. */
export const languageAmong = <const Ids extends readonly string[]>(ids: Ids): z.ZodType<Ids[number]> =>
  z.string().transform(languageId).pipe(z.enum(ids))

/** True for a name that {@link languageId} finds in its table. */
export function isKnownLanguage(name: string): boolean {
  const id = languageId(name)
  return id !== undefined && id in LANGUAGES
}

/** `python-3.11` → `python`; a name of digits only stays. */
function withoutVersion(name: string): string {
  return name.replace(/[\s_-]?v?\d[\d.]{0,8}\+?$/, '')
}

/** The language of a file by its extension, or undefined when the extension says nothing. */
export function languageOfPath(path: string): string | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (file === 'dockerfile' || file === 'makefile') return file
  const dot = file.lastIndexOf('.')
  return dot < 1 ? undefined : ID_BY_EXTENSION.get(file.slice(dot + 1))
}

/** The usual extension of a language's files, without the dot; undefined for a language without one. */
export function extensionOf(language: string): string | undefined {
  return LANGUAGES[language]?.extensions[0]
}

/** The file a single program of a language goes to, such as `solution.py`. */
export function defaultEntry(language: string): string {
  // A public class of Java has to be in a file of its name.
  if (language === 'java') return 'Main.java'
  return `solution.${extensionOf(language) ?? 'txt'}`
}

/** True when a program in `written` can be run as `asked`: the same language, or one that contains it. */
export function runsAs(written: string, asked: string): boolean {
  if (written === asked) return true
  if (asked === 'typescript') return written === 'javascript'
  if (asked === 'tsx') return written === 'typescript' || written === 'jsx' || written === 'javascript'
  if (asked === 'jsx') return written === 'javascript'
  return asked === 'javascript' && written === 'jsx'
}

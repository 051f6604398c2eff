// Whose file a path names, and how paths of the sandbox are kept from the model.
import type { Candidate } from '../contract/candidate.js'

/** Tells the program's own files from all others, whatever folder the sandbox put them into. */
export interface ProgramPaths {
  /** The path within the workspace, when `file` is one of the program's own. */
  own(file: string): string | undefined
  /** `text` with paths of the sandbox made relative and those of libraries and temporary folders shortened. */
  hide(text: string): string
}

/** What is known of the program. */
export interface ProgramPathsOptions {
  /** The program; without it every file outside of libraries counts as its own. */
  readonly candidate?: Candidate
  /** Absolute path of the workspace, where known. */
  readonly workdir?: string
  /** Files that a traceback names, from which the workspace is learned. */
  readonly seen?: readonly string[]
}

const LIBRARY =
  /(?:^|\/)(?:site-packages|dist-packages|node_modules|lib(?:64)?\/python\d[\d.]*)\/|\.zip\/|^node:|^\/usr\/(?:include|lib)\/|^\/rustc\/|\/go\/(?:src|pkg\/mod)\//u
// A path starts where no path character stands before it; so every search is linear.
const START = '(?<![\\w./~-])'
const SEGMENTS = '(?:/[^\\s"\'/:<>|]+)*'
const LIBRARY_PREFIX = new RegExp(
  `${START}${SEGMENTS}/(?:site-packages|dist-packages|lib(?:64)?/python\\d[\\d.]*)/`,
  'gu',
)
const INTERPRETER_PREFIX = new RegExp(`${START}${SEGMENTS}/bin/(?=python[\\d.]*(?![\\w./]))`, 'gu')
const TEMPORARY = new RegExp(
  `${START}(?:/private)?/(?:tmp|dev/shm|var/tmp|var/folders/[^/\\s]+/[^/\\s]+/T)(?:/[^/\\s"'\`:,;()<>|]+)+`,
  'gu',
)

/** Makes the {@link ProgramPaths} of one execution. */
export function programPaths(options: ProgramPathsOptions): ProgramPaths {
  const { candidate, workdir, seen = [] } = options
  const learned = learnRoot(candidate, seen)
  const given = workdir?.replace(/\/+$/u, '') || undefined
  // Both, for the folder may be known to the program by another name than to its host.
  const roots = [given, learned].filter((one) => one !== undefined)
  const alternatives = [...new Set(roots)].map(escaped).join('|')
  const rootPattern =
    alternatives === ''
      ? undefined
      : new RegExp(`(?<![\\w.~-])(?:/private)?(?:${alternatives})(?:/|(?![\\w/-]|\\.\\w))`, 'gu')

  return {
    own: (file) => ownPath(file, candidate, learned ?? given),
    hide(text) {
      if (!text.includes('/')) return text
      const relative =
        rootPattern === undefined
          ? text
          : text.replace(rootPattern, (match, at: number) =>
              match.endsWith('/') && /^[^\s"'`]/u.test(text.slice(at + match.length)) ? '' : '.',
            )
      return relative
        .replace(LIBRARY_PREFIX, '')
        .replace(INTERPRETER_PREFIX, '')
        .replace(TEMPORARY, (path) => hideTemporary(path, candidate))
    },
  }
}

function ownPath(
  file: string,
  candidate: Candidate | undefined,
  root: string | undefined,
): string | undefined {
  if (file.startsWith('<')) return undefined
  const path = file.replace(/^(?:\.\/)+/u, '')
  if (candidate === undefined) {
    if (LIBRARY.test(path)) return undefined
    if (root !== undefined && path.startsWith(`${root}/`)) return path.slice(root.length + 1)
    return path.startsWith('/') ? baseName(path) : path
  }
  const names = Object.keys(candidate.files)
  if (names.includes(path)) return path
  if (root !== undefined && path.startsWith(`${root}/`)) {
    const relative = path.slice(root.length + 1)
    return names.includes(relative) ? relative : undefined
  }
  // Another absolute path is the program's only when nothing better told where the workspace is.
  if (LIBRARY.test(path) || (root !== undefined && path.startsWith('/'))) return undefined
  const bySuffix = names.filter((name) => path.endsWith(`/${name}`)).sort((a, b) => b.length - a.length)[0]
  if (bySuffix !== undefined) return bySuffix
  const byName = names.filter((name) => baseName(name) === baseName(path))
  return byName.length === 1 ? byName[0] : undefined
}

/** The folder that the entry ran in, or else one in which a traceback names one of the program's files. */
function learnRoot(candidate: Candidate | undefined, seen: readonly string[]): string | undefined {
  if (candidate === undefined) return undefined
  const others = Object.keys(candidate.files).sort((a, b) => b.length - a.length)
  for (const name of [candidate.entry, ...others]) {
    const file = seen.find((path) => path.startsWith('/') && path.endsWith(`/${name}`) && !LIBRARY.test(path))
    if (file !== undefined && file.length > name.length + 1) return file.slice(0, -name.length - 1)
  }
  return undefined
}

/** The folder right below the last temporary one has a made-up name; what is in it may be the program's. */
function hideTemporary(path: string, candidate: Candidate | undefined): string {
  const folder = /^.*\/(?:te?mp|shm|T)\/(?![^/]*\.\w{1,5}$)[^/]+/u.exec(path)?.[0] ?? path
  return wroteItself(candidate, folder) ? path : `<temp>${path.slice(folder.length)}`
}

/** A temporary path that stands in the program's own text is no secret, and the model has to recognise it. */
const wroteItself = (candidate: Candidate | undefined, path: string): boolean =>
  candidate !== undefined && Object.values(candidate.files).some((text) => text.includes(path))

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')

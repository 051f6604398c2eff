// Where compilers put what they make, and which files of a program they are given.
import type { Candidate } from '../contract/candidate.js'

/** Folder of build products in the workspace; the one place there that is not the program's. */
export const BUILD_FOLDER = '.mendloop'

/** The program that a compiler makes. */
export const BUILT_PROGRAM = `${BUILD_FOLDER}/program`

/** Makes the folder, since no compiler does, and keeps it out of a repository and of its diffs. */
export const BUILD_FILES: Readonly<Record<string, string>> = { [`${BUILD_FOLDER}/.gitignore`]: '*\n' }

/** Compilers speak as the reader of their errors expects it. */
export const ENGLISH: Readonly<Record<string, string>> = { LC_ALL: 'C.UTF-8' }

/** Memory that a compiler may use at least. */
export const COMPILER_MEMORY_BYTES = 1024 * 1024 * 1024

/** The folder of a path, without a slash at its end; empty for the workspace itself. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The program's files with one of these endings, the entry first. */
export function sourcesOf({ files, entry }: Candidate, endings: readonly string[]): readonly string[] {
  const others = Object.keys(files).filter(
    (path) => path !== entry && endings.some((ending) => path.endsWith(ending)),
  )
  return [entry, ...others.sort()]
}

/** A path that no program takes for an option, nor a compiler for a file of further arguments (`@file`). */
export const asArgument = (path: string): string => (/^[-@]/u.test(path) ? `./${path}` : path)

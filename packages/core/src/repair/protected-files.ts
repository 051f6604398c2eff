// Files that decide, or that could make others decide: a reply does not write them, and a program that does is undone.
import { pathPattern, sampleOf } from '../sandbox/path-pattern.js'
import type { RepairTask } from './repair-task.js'

/** What test runners and Python itself load without being asked. */
const LOADED_UNASKED: readonly string[] = [
  ...['conftest.py', 'pytest.ini', 'sitecustomize.py', 'usercustomize.py', '*.pth'],
]

/** What of a task says which files are whose. */
export type FileOwners = Pick<RepairTask, 'protect' | 'files' | 'program' | 'entry'>

/** Whether the program may not have a file of this name: the task's own are its inputs and its program. */
export function isProtected({
  protect = LOADED_UNASKED,
  files = {},
  program = {},
  entry,
}: FileOwners): (path: string) => boolean {
  const patterns = protect.map(pathPattern)
  return (path) => {
    if (Object.hasOwn(files, path)) return true
    if (path === entry || Object.hasOwn(program, path)) return false
    return patterns.some((matches) => matches(path))
  }
}

/** Whether a folder of this name could hold such a file: a link of that name brings some that nobody sees. */
export function couldHold({ protect = LOADED_UNASKED, files = {} }: FileOwners): (path: string) => boolean {
  const paths = [...protect.filter((one) => one.includes('/')).map(sampleOf), ...Object.keys(files)]
  return (path) => paths.some((one) => one.startsWith(`${path}/`))
}

// Files that decide, or that could make others decide: a reply does not write them, and a program that does is undone.
import { pathPattern } from '../sandbox/path-pattern.js'
import type { RepairTask } from './repair-task.js'

/** What test runners and Python itself load without being asked. */
const LOADED_UNASKED: readonly string[] = [
  ...['conftest.py', 'pytest.ini', 'sitecustomize.py', 'usercustomize.py', '*.pth'],
]

/** Whether the program may not have a file of this name: the task's own are its inputs and its program. */
export function isProtected({
  protect = LOADED_UNASKED,
  files = {},
  program = {},
  entry,
}: Pick<RepairTask, 'protect' | 'files' | 'program' | 'entry'>): (path: string) => boolean {
  const patterns = protect.map(pathPattern)
  return (path) => {
    if (files[path] !== undefined) return true
    if (path === entry || program[path] !== undefined) return false
    return patterns.some((matches) => matches(path))
  }
}

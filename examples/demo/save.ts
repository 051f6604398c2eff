// Writes what a task left behind: the record, the program, the results. A file is there whole or not at all.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type RepairResult, recordToJsonl } from '@mendloop/core'
import { DemoError } from './demo-error.js'
import type { DemoTask } from './tasks/demo-task.js'

/**
 * Makes the task's folder and takes away what an earlier run left there under the same names.
 *
 * @throws DemoError when it cannot be written to
 */
export function prepareFolder(out: string, { id, task }: DemoTask): string {
  const folder = join(out, id)
  try {
    mkdirSync(folder, { recursive: true })
    for (const name of ['record.jsonl', task.entry ?? 'solution.py', ...(task.outputs ?? [])])
      rmSync(join(folder, name), { force: true })
    writeWhole(join(folder, '.writable'), '')
    rmSync(join(folder, '.writable'))
  } catch (error) {
    throw new DemoError(`The folder ${folder} cannot be written to: ${(error as Error).message}.`, 2, {
      cause: error,
    })
  }
  return folder
}

/**
 * Writes the record, the best program and the result files.
 *
 * @returns names of the files, in order
 */
export function saveResult(folder: string, { outputs, best, record }: RepairResult): readonly string[] {
  const files = { ...outputs, ...best?.files, 'record.jsonl': recordToJsonl(record) }
  for (const [name, content] of Object.entries(files)) writeWhole(join(folder, name), content)
  return Object.keys(files)
}

function writeWhole(path: string, content: string | Uint8Array): void {
  const partial = `${path}.${process.pid}.part`
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(partial, content)
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

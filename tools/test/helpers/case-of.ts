// Cases made in a test: the folder with their files, and what they ask.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { BugCase, Fields } from '../../cases/bug-case.js'

/**
 * What makes cases of one kind. Each gets a folder of its own, which is deleted after the tests of the file.
 *
 * @param files - contents by name; what is no text is written as JSON
 */
export function caseMaker(kind: string): (files: Fields, input: Fields, expect: Fields) => BugCase {
  const root = mkdtempSync(join(tmpdir(), 'mendloop-cases-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  return (files, input, expect) => {
    const folder = mkdtempSync(join(root, 'case-'))
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
    return { id: 'X', kind, name: '', folder, input, expect }
  }
}

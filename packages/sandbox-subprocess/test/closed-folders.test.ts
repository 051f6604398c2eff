// Files behind what a program has closed, for a user to whom it is closed: root's tests become one.
import { describe, expect, test } from 'vitest'
import { canRunAsUser, runAsUser } from './helpers/as-ordinary-user.js'

describe.runIf(canRunAsUser())('for an ordinary user', () => {
  test('files that cannot be looked at are refused by name, and none is written beside one that cannot be', async () => {
    const refused = (path: string) => ['FILE_UNAVAILABLE', path]
    const { unseen, unwritten } = await runAsUser('closed-folders')
    expect(unseen).toEqual({
      closed: [],
      read: refused('d/f'),
      stat: refused('d/f'),
      remove: refused('d/f'),
      write: refused('d/f'),
      list: [],
      // They were never told as deleted.
      opened: [],
    })
    expect(unwritten).toEqual({
      file: refused('closed/file'),
      folder: refused('closed/folder/file'),
      kept: 'old',
    })
  }, 60_000)
})

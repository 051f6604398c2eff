// What each tier enforces on this machine, as a table; what a tier lacks to open here, as a sentence.
import { MendloopError } from '@mendloop/core'
import { guaranteesMatrix } from '@mendloop/core/testing'
import { subprocess } from '@mendloop/sandbox-subprocess'

const columns: Parameters<typeof guaranteesMatrix>[0][number][] = []
for (const isolation of ['process', 'seatbelt', 'landlock', 'namespaces'] as const) {
  try {
    await using sandbox = await subprocess({ isolation, minimum: isolation }).create()
    columns.push({ name: isolation, guarantees: sandbox.guarantees })
  } catch (error) {
    if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
    console.log(`${isolation}: ${error.message}\n`)
  }
}
console.log(guaranteesMatrix(columns))

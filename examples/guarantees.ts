// What each tier enforces on this machine, as a table; what a tier lacks to open here, as a sentence.
import { type Guarantees, MendloopError } from '@mendloop/core'
import { guaranteesMatrix } from '@mendloop/core/testing'
import { type IsolationTier, subprocess } from '@mendloop/sandbox-subprocess'

async function guaranteesOf(isolation: IsolationTier): Promise<Guarantees | undefined> {
  try {
    await using sandbox = await subprocess({ isolation, minimum: isolation }).create()
    return sandbox.guarantees
  } catch (error) {
    if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
    console.log(`${isolation}: ${error.message}\n`)
    return undefined
  }
}

const columns: { name: string; guarantees: Guarantees }[] = []
for (const name of ['process', 'seatbelt', 'landlock', 'namespaces'] as const) {
  const guarantees = await guaranteesOf(name)
  if (guarantees !== undefined) columns.push({ name, guarantees })
}
console.log(guaranteesMatrix(columns))

// Errors have codes. This one names what is missing and what to ask for instead.
import { MendloopError } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

try {
  const sandbox = await subprocess().create()
  await sandbox.close()
} catch (error) {
  if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
  console.log(error.code, error.details.minimum, error.details.available)
  console.log(error.details.remedy)
}

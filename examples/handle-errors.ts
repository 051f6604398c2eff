// Errors have codes. Here somebody wants the tier that stops accidents only, and has not said so: it is never had by chance.
import { MendloopError } from '@mendloop/core'
import { subprocess } from '@mendloop/sandbox-subprocess'

try {
  const sandbox = await subprocess({ isolation: 'process' }).create()
  await sandbox.close()
} catch (error) {
  if (!MendloopError.is(error, 'ISOLATION_UNAVAILABLE')) throw error
  console.log(error.code, error.details.minimum, error.details.available)
  console.log(error.details.remedy)
}

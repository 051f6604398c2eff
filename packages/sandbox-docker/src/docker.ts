// The container provider, as far as it goes today: it says by name that it is not built, and runs nothing.
import { MendloopError, type SandboxProvider } from '@mendloop/core'

/** Options of {@link docker}; there are none yet, and an unknown one is refused. */
export type DockerOptions = Readonly<Record<string, never>>

/**
 * A sandbox provider for containers through the Docker Engine API. **Not built yet:** `create()` always throws, so that
 * code that asks for a container never runs without one.
 *
 * @returns a provider with id `docker` whose `create()` throws MendloopError SANDBOX_UNAVAILABLE
 * @throws MendloopError INVALID_OPTION for any option, since none is honoured
 */
export function docker(options: DockerOptions = {}): SandboxProvider {
  const [option] = Object.keys(options)
  if (option !== undefined) {
    throw new MendloopError(
      'INVALID_OPTION',
      `docker(): unknown option "${option}"; it has no options yet.`,
      {
        details: { option, expected: 'no option', received: option },
      },
    )
  }
  return {
    id: 'docker',
    specVersion: 'sandbox-v1',
    create: async () => {
      const reason = 'the container sandbox is planned and not built yet'
      throw new MendloopError(
        'SANDBOX_UNAVAILABLE',
        `docker(): ${reason}. Use subprocess() of @mendloop/sandbox-subprocess, which isolates less: see its README.`,
        { details: { sandbox: 'docker', reason } },
      )
    },
  }
}

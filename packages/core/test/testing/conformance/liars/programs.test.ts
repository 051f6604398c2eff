// Liars about starting a program.
import { MendloopError } from '../../../../src/contract/errors.js'
import { aboutCommands, aboutResults, catchLiars } from '../../../helpers/liars.js'

const asObject = (command: string | { argv: readonly string[] }) =>
  typeof command === 'string' ? { argv: ['/bin/sh', '-c', command] } : command

catchLiars(
  'programs',
  [
    {
      who: 'loses the exit code',
      caughtBy: 'runs a program and tells its exit code, and success for 0 alone',
      alone: true,
      lie: aboutResults((result) => ({ ...result, outcome: { kind: 'exit', code: 0 } })),
    },
    {
      who: 'calls every end a success',
      caughtBy: 'runs a program and tells its exit code, and success for 0 alone',
      alone: true,
      lie: aboutResults((result) => ({ ...result, ok: true })),
    },
    {
      who: 'tells a signal as exit code 128 and more',
      caughtBy: 'names the signal that ended a program',
      lie: aboutResults((result) =>
        result.outcome.kind === 'signal' ? { ...result, outcome: { kind: 'exit', code: 139 } } : result,
      ),
    },
    {
      who: 'throws for a program that is not there',
      caughtBy: 'tells of a program that is not there by a result, not an exception',
      lie: aboutResults((result) => {
        if (result.outcome.kind !== 'exit' || result.outcome.code !== 127) return result
        throw new MendloopError('SANDBOX_UNAVAILABLE', 'The program is not there.', {
          details: { sandbox: 'liar', reason: 'ENOENT' },
        })
      }),
    },
    {
      who: 'joins arguments into a line for the shell',
      caughtBy: 'passes every argument exactly as it was given',
      alone: true,
      lie: aboutCommands((command) =>
        typeof command === 'string'
          ? command
          : { ...command, argv: ['/bin/sh', '-c', command.argv.map((one) => `"${one}"`).join(' ')] },
      ),
    },
    {
      who: 'splits a command at its spaces instead of asking the shell',
      caughtBy: 'runs a string through the shell',
      alone: true,
      lie: aboutCommands((command) => (typeof command === 'string' ? command.split(' ') : command)),
    },
    {
      who: 'ignores the working directory',
      caughtBy: 'starts a program in the workspace, or in the folder of it that was named',
      also: ['refuses a working directory outside of the workspace'],
      lie: aboutCommands((command) => {
        if (typeof command === 'string') return command
        const { cwd: _, ...rest } = command
        return rest
      }),
    },
    {
      who: 'hands on the variables of the host',
      caughtBy: 'gives a program the variables that were named, and none of the host',
      lie: aboutCommands((command) => {
        const canary = process.env['MENDLOOP_CANARY']
        if (typeof command === 'string' || canary === undefined) return command
        return { ...command, env: { ...command.env, MENDLOOP_CANARY: canary } }
      }),
    },
    {
      who: 'leaves something to read on standard input',
      caughtBy: 'ends standard input at once when none was given',
      lie: aboutCommands((command) => ({ stdin: 'y\n', ...asObject(command) })),
    },
    {
      who: 'takes bytes on standard input for text',
      caughtBy: 'hands over text and bytes on standard input, then ends it',
      also: ['hands over 50 MB of standard input whole, also to a program that does not read it'],
      lie: aboutCommands((command) =>
        typeof command !== 'string' && command.stdin instanceof Uint8Array
          ? { ...command, stdin: Buffer.from(command.stdin).toString() }
          : command,
      ),
    },
    {
      who: 'cuts long standard input short',
      caughtBy: 'hands over 50 MB of standard input whole, also to a program that does not read it',
      lie: aboutCommands((command) =>
        typeof command !== 'string' && command.stdin instanceof Uint8Array
          ? { ...command, stdin: command.stdin.subarray(0, 8_000_000) }
          : command,
      ),
    },
    {
      who: 'ignores that the reader of a pipe has gone',
      caughtBy: 'starts a program with signals as a shell would, and no descriptor beyond the three',
      lie: aboutCommands((command) => (typeof command === 'string' ? `trap '' PIPE; ${command}` : command)),
    },
    {
      who: 'leaves a descriptor open in programs',
      caughtBy: 'starts a program with signals as a shell would, and no descriptor beyond the three',
      lie: aboutCommands((command) =>
        typeof command === 'string'
          ? command
          : { ...command, argv: ['/bin/sh', '-c', 'exec 9</etc/passwd "$@"', 'sh', ...command.argv] },
      ),
    },
    {
      who: 'does not measure time',
      caughtBy: 'tells how long a program took',
      lie: aboutResults((result) => ({ ...result, durationMs: 0 })),
    },
  ],
  {
    slow: [
      'hands over 50 MB of standard input whole, also to a program that does not read it',
      'tells how long a program took',
    ],
  },
)

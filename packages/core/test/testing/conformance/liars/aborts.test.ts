// Liars about what a caller has called off.
import {
  aboutOptions,
  aboutResults,
  catchLiars,
  honestProvider,
  wrapProvider,
} from '../../../helpers/liars.js'

const MUCH =
  'looks no longer through what a program left when its signal is aborted, and says what it has not seen'

catchLiars(
  'aborts',
  [
    {
      who: 'looks through everything, whoever waits',
      caughtBy: MUCH,
      alone: true,
      lie: (sandbox) => ({
        async exec(command, options) {
          const result = await sandbox.exec(command, options)
          if (options?.signal?.aborted) await new Promise((resolve) => setTimeout(resolve, 6_000))
          return result
        },
      }),
    },
    {
      who: 'says nothing of what it has not seen',
      caughtBy: MUCH,
      alone: true,
      lie: aboutResults(({ unseen, ...result }) => ({
        ...result,
        changes: unseen === undefined ? result.changes : [],
      })),
    },
    {
      who: 'runs what was called off before',
      caughtBy: 'starts nothing for a signal that is aborted already',
      lie: aboutOptions(({ signal, ...options }) =>
        signal?.aborted ? options : { ...options, ...(signal && { signal }) },
      ),
    },
    {
      who: 'cannot be interrupted',
      caughtBy: 'ends a program when its signal is aborted, and keeps what it had printed',
      alone: true,
      lie: aboutOptions(({ signal: _, ...options }) => options),
    },
    {
      who: 'throws away what an aborted program printed',
      caughtBy: 'ends a program when its signal is aborted, and keeps what it had printed',
      lie: aboutResults((result) =>
        result.outcome.kind === 'aborted' ? { ...result, stdout: { ...result.stdout, text: '' } } : result,
      ),
    },
    {
      who: 'changes its mind about a program that had ended',
      caughtBy: 'changes nothing when a signal is aborted after the end',
      lie: (sandbox) => ({
        async exec(command, options = {}) {
          const result = await sandbox.exec(command, options)
          if (result.outcome.kind === 'exit')
            options.signal?.addEventListener('abort', () => void sandbox.close(), { once: true })
          return result
        },
      }),
    },
    {
      who: 'opens for who has already called off',
      caughtBy: 'does not open for a signal that is aborted already',
      provider: wrapProvider(({ signal, ...options } = {}) =>
        honestProvider.create(signal?.aborted ? options : { ...options, ...(signal && { signal }) }),
      ),
    },
    {
      who: 'forgets the signal of the sandbox',
      caughtBy: 'ends what runs and closes when the signal of the sandbox is aborted',
      also: ['gives no open sandbox to who aborts while it is opened'],
      provider: wrapProvider(({ signal, ...options } = {}) =>
        honestProvider.create(signal?.aborted ? { ...options, signal } : options),
      ),
    },
  ],
  { atOnce: true },
)

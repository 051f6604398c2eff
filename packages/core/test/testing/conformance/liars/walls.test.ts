// Liars about walls: plain child processes that claim to stand behind some.
import type { Guarantees } from '../../../../src/contract/sandbox.js'
import { catchLiars, type Liar, type Lie } from '../../../helpers/liars.js'
import { onLinux, requires } from '../../../helpers/requires.js'

const claims =
  (claim: Partial<Guarantees>): Lie =>
  (sandbox) => ({ guarantees: { ...sandbox.guarantees, ...claim } })

const VARIABLES = 'shows a program the variables of no process outside'

const everywhere: readonly Liar[] = [
  {
    who: 'claims that files outside cannot be read',
    caughtBy: 'lets a program read no file outside that it was not given',
    alone: true,
    lie: claims({ files: 'allow-list' }),
  },
  {
    who: 'claims that files outside cannot be written',
    caughtBy: 'lets a program write no file outside',
    alone: true,
    lie: claims({ files: 'private-root' }),
  },
  {
    who: 'claims that processes outside cannot be signalled',
    caughtBy: 'lets a program signal no process outside',
    alone: true,
    lie: claims({ processes: 'signal-scope' }),
  },
  {
    who: 'claims that there is no network',
    caughtBy: 'lets a program reach no server of this machine: TCP, unix socket, abstract socket',
    alone: true,
    lie: claims({ network: 'denied' }),
  },
]

const onlyLinux: readonly Liar[] = [
  {
    who: 'claims a process namespace of its own',
    caughtBy: 'shows a program no process outside',
    alone: true,
    lie: claims({ processes: 'own-namespace' }),
  },
  {
    who: 'claims that variables of others are hidden',
    caughtBy: VARIABLES,
    alone: true,
    lie: claims({ processes: 'own-namespace' }),
  },
  {
    who: 'claims a list of system calls',
    caughtBy: 'lets a program make no system call that is not on its list',
    alone: true,
    lie: claims({ syscalls: 'allow-list' }),
  },
]

if (requires('python3'))
  catchLiars('walls', onLinux('what /proc shows') ? [...everywhere, ...onlyLinux] : everywhere)

// The few variables that programs see: nothing of the host's own.
import { availableParallelism } from 'node:os'
import { delimiter } from 'node:path'

const SYSTEM_FOLDERS: readonly string[] = {
  darwin: ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'],
  win32: [`${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32`],
}[process.platform as string] ?? ['/usr/local/bin', '/usr/bin', '/bin']

/** Numeric libraries start a thread a core, and the stack of each counts against the memory limit. */
const MOST_NUMERIC_THREADS = 4

/** The variables every program starts from. */
export function cleanEnvironment({
  home,
  temporary,
  folders,
  walled,
}: {
  home: string
  temporary: string
  folders: readonly string[]
  /** Programs are kept out of most of `/etc`. */
  walled: boolean
}): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: [...new Set([...folders, ...SYSTEM_FOLDERS])].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    PYTHONUTF8: '1',
    PYTHONIOENCODING: 'utf-8',
    // What sits in a buffer is lost when the program is killed or leaves by the hard exit.
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    // No display: figures go to files, and show() returns.
    MPLBACKEND: 'Agg',
  }
  if (availableParallelism() > MOST_NUMERIC_THREADS)
    environment['OMP_NUM_THREADS'] = String(MOST_NUMERIC_THREADS)
  // Git gives up when it may not read /etc/gitconfig, which may hold a proxy's password.
  if (walled) environment['GIT_CONFIG_NOSYSTEM'] = '1'
  // The list of users is out of reach, and many libraries cannot do without a name, if only for one of a folder.
  if (walled) Object.assign(environment, { USER: 'sandbox', LOGNAME: 'sandbox' })
  // Windows programs do not start without it.
  const systemRoot = process.env['SystemRoot']
  if (process.platform === 'win32' && systemRoot !== undefined)
    Object.assign(environment, { SystemRoot: systemRoot, TEMP: temporary, TMP: temporary, USERPROFILE: home })
  return environment
}

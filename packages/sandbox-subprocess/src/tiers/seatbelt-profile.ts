// The profile of macOS' Seatbelt (sandbox-exec -p): what is not allowed is denied. Not run on a Mac by its authors: it is
// believed only where the self-test finds that it holds.

/** What a profile lets through. */
export interface SeatbeltAccess {
  /** Folders and files that may be read and executed, besides the system's. */
  readonly readOnly: readonly string[]
  /** Folders that may be written to. */
  readonly writable: readonly string[]
  /** The network may be used. */
  readonly sharesNetwork: boolean
}

/** Programs, libraries and frameworks of the system, and what the loader and time zones need. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/System',
  '/Library/Apple',
  '/Library/Frameworks',
  '/Library/Developer/CommandLineTools',
  '/private/etc/localtime',
  '/private/etc/ssl',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/opt/homebrew',
]

const DEVICES_READ = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/dtracehelper']

/** The profile's text, in the language of sandbox-exec(1). */
export function seatbeltProfile({ readOnly, writable, sharesNetwork }: SeatbeltAccess): string {
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    // Only what it started: other processes of this user stay out of reach.
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    '(allow file-read-metadata)',
    // The root folder itself, which the loader lists.
    '(allow file-read* (literal "/"))',
    `(allow file-read* process-exec ${paths('subpath', [...SYSTEM, ...readOnly])})`,
    `(allow file-read* ${paths('literal', DEVICES_READ)})`,
    '(allow file-write-data (literal "/dev/null"))',
    `(allow file-read* file-write* process-exec ${paths('subpath', writable)})`,
    ...(sharesNetwork ? ['(allow network*)', '(allow system-socket)'] : []),
    '',
  ].join('\n')
}

const paths = (kind: 'literal' | 'subpath', of: readonly string[]): string =>
  of.map((path) => `(${kind} ${text(path)})`).join(' ')

/** A string of the profile's language: of its special signs only these two can occur in one. */
const text = (value: string): string => `"${value.replaceAll(/[\\"]/g, String.raw`\$&`)}"`

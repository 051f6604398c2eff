// What an environment offers, as seen from inside: the shape of an inventory, and the reading of what a guest printed.
import { z } from 'zod'

/** What programs find in a sandbox, measured inside it. Unknown is absent. */
export interface Inventory {
  /** Absent where no Python runs. */
  readonly python?: PythonInventory
  /** Absent where no Node is found. */
  readonly node?: {
    /** Such as `20.19.4`. */
    readonly version: string
    /** Absolute path. */
    readonly executable: string
  }
  /** Those of a stated list that are on PATH, by name. */
  readonly executables: Readonly<Record<string, InstalledExecutable>>
  /** Processors it may use at once. */
  readonly cpuCount?: number
  /** The least of what the machine has, its cgroup grants and its limits allow. */
  readonly memoryBytes?: number
  /** What the kernel holds programs to. */
  readonly limits: EnforcedLimits
  /** `route`: a way out of this machine is known, though a firewall may still stand in it; nothing was sent to find out. */
  readonly network: 'route' | 'none' | 'unknown'
  /** Of the usual folders (workspace, home, temporary ones), those in which files can be made; absolute paths. */
  readonly writableFolders: readonly string[]
  /** Such as `C.UTF-8`. */
  readonly locale?: string
  /** Whether programs run as the superuser of their surroundings. */
  readonly isRoot: boolean
}

/** What Python offers. */
export interface PythonInventory {
  /** Such as `3.11.7`. */
  readonly version: string
  /** Absolute path of the interpreter. */
  readonly executable: string
  /** Installed packages, sorted by name. */
  readonly packages: readonly InstalledPackage[]
  /** How many were left out: their metadata could not be read, or there are thousands. */
  readonly packagesOmitted: number
  /** Whether `pip` can be imported. Installing takes a network as well. */
  readonly hasPip: boolean
}

/** An installed Python package. */
export interface InstalledPackage {
  /** Name to install it by, such as `scikit-learn`. */
  readonly name: string
  /** Such as `1.5.0`. */
  readonly version: string
  /** Names to import it by, such as `sklearn`. */
  readonly imports: readonly string[]
}

/** A program on PATH. */
export interface InstalledExecutable {
  /** Absolute path. */
  readonly path: string
  /** As it tells it; absent when it tells none. */
  readonly version?: string
}

/** Limits as the kernel enforces them; absent is unbounded. */
export interface EnforcedLimits {
  /** Processor time of one process. */
  readonly cpuSeconds?: number
  /** Private memory of one process (RLIMIT_DATA). */
  readonly dataBytes?: number
  /** Address space of one process (RLIMIT_AS). */
  readonly addressSpaceBytes?: number
  /** Size of one file. */
  readonly fileBytes?: number
  /** Open files of one process. */
  readonly openFiles?: number
  /** Processes and threads, as many as a program may have; where they are not bounded for it, those of the user. */
  readonly processes?: number
  /** Size of the workspace, where it is a file system of its own. */
  readonly workspaceBytes?: number
  /** Size of the temporary folder, where it is a file system of its own. */
  readonly temporaryBytes?: number
  /** Size of /dev/shm, where it is a file system of its own. */
  readonly sharedMemoryBytes?: number
}

/** Programs that an inventory looks for. */
export const INVENTORY_EXECUTABLES: readonly string[] = Object.freeze(
  (
    'python3 uv node npm tsc esbuild deno bun bash gcc g++ clang make cmake java javac go rustc cargo ' +
    'git curl wget sqlite3 zip unzip tar ffmpeg convert pandoc pdftotext'
  ).split(' '),
)

const text = z.string().max(4096)
const count = z.number().nonnegative()

const limitsSchema = z.object({
  cpuSeconds: count.optional(),
  dataBytes: count.optional(),
  addressSpaceBytes: count.optional(),
  fileBytes: count.optional(),
  openFiles: count.optional(),
  processes: count.optional(),
  workspaceBytes: count.optional(),
  temporaryBytes: count.optional(),
  sharedMemoryBytes: count.optional(),
})

const executablesSchema = z.record(text, z.object({ path: text, version: text.optional() }))

/** What the guest program prints. */
export const measuredSchema: z.ZodType<Omit<Inventory, 'node'>> = z.object({
  python: z
    .object({
      version: text,
      executable: text,
      packages: z.array(z.object({ name: text, version: text, imports: z.array(text) })),
      packagesOmitted: count,
      hasPip: z.boolean(),
    })
    .optional(),
  executables: executablesSchema,
  cpuCount: count.optional(),
  memoryBytes: count.optional(),
  limits: limitsSchema,
  network: z.enum(['route', 'none', 'unknown']),
  writableFolders: z.array(text),
  locale: text.optional(),
  isRoot: z.boolean(),
})

/** A whole inventory of what was printed. */
export function toInventory(measured: Omit<Inventory, 'node'>): Inventory {
  const { node } = measured.executables
  if (node?.version === undefined) return measured
  return { ...measured, node: { version: node.version.replace(/^v/, ''), executable: node.path } }
}

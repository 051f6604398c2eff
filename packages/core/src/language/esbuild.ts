// esbuild as an optional companion: found when it is installed beside this package, and never required.

/** What is used of esbuild. */
export interface Esbuild {
  /** Bundles; throws with `errors` when the sources are wrong. */
  build(options: Readonly<Record<string, unknown>>): Promise<EsbuildResult>
}

/** What it made. */
export interface EsbuildResult {
  readonly outputFiles?: readonly { readonly path: string; readonly text: string }[]
}

/** An error in the sources. */
export interface EsbuildMessage {
  readonly text: string
  readonly location: {
    readonly file: string
    /** 1-based. */
    readonly line: number
    /** 0-based, in bytes. */
    readonly column: number
    readonly lineText: string
  } | null
}

/** Imports esbuild, or answers undefined where it is not installed. */
export async function loadEsbuild(): Promise<Esbuild | undefined> {
  // A variable, so that neither a compiler nor a bundler asks for what is optional.
  const name = 'esbuild'
  try {
    const loaded = (await import(name)) as Esbuild & { readonly default?: Esbuild }
    return typeof loaded.build === 'function' ? loaded : loaded.default
  } catch {
    return undefined
  }
}

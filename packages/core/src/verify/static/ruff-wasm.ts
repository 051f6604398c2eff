// Ruff as an optional companion: its WebAssembly build runs in this process, and is never required.

/** What is used of it. */
export interface RuffWasm {
  readonly Workspace: new (
    options: unknown,
    encoding: number,
  ) => {
    check(text: string): unknown
    free(): void
  }
  readonly PositionEncoding: { readonly Utf16: number }
}

/** How to get it. */
export const RUFF_REMEDY =
  'npm install @astral-sh/ruff-wasm-nodejs beside @mendloop/core, or put ruff on the PATH of the sandbox (pip install ruff)'

/** Imports it, or answers undefined where it is not installed. */
export async function loadRuff(): Promise<RuffWasm | undefined> {
  // A variable, so that neither a compiler nor a bundler asks for what is optional.
  const name = '@astral-sh/ruff-wasm-nodejs'
  try {
    const loaded = (await import(name)) as RuffWasm & { readonly default?: RuffWasm }
    return typeof loaded.Workspace === 'function' ? loaded : loaded.default
  } catch {
    return undefined
  }
}

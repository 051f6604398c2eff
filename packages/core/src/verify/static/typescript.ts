// TypeScript as an optional companion: found when it is installed beside this package, and never required.

/** What is used of a source file. */
export interface TsSourceFile {
  readonly fileName: string
  getLineAndCharacterOfPosition(position: number): { readonly line: number; readonly character: number }
}

/** What it found. */
export interface TsDiagnostic {
  /** 1 is an error. */
  readonly category: number
  readonly code: number
  readonly messageText: unknown
  readonly file?: TsSourceFile
  readonly start?: number
}

/** What is used of a program. */
export interface TsProgram {
  getSourceFile(name: string): TsSourceFile | undefined
  getSyntacticDiagnostics(file: TsSourceFile, token?: object): readonly TsDiagnostic[]
  getSemanticDiagnostics(file: TsSourceFile, token?: object): readonly TsDiagnostic[]
}

/** What is used of TypeScript. */
export interface TypeScript {
  readonly version: string
  createProgram(names: readonly string[], options: object, host: object): TsProgram
  createSourceFile(name: string, text: string, languageVersion: unknown): TsSourceFile
  flattenDiagnosticMessageText(text: unknown, newLine: string): string
  convertCompilerOptionsFromJson(
    options: object,
    folder: string,
  ): { readonly options: object; readonly errors: readonly TsDiagnostic[] }
  getDefaultLibFilePath(options: object): string
  readonly sys: {
    readFile(path: string): string | undefined
    fileExists(path: string): boolean
  }
  readonly OperationCanceledException: new () => object
}

/** How to get it. */
export const TYPESCRIPT_REMEDY =
  'npm install typescript (5 or 6) beside @mendloop/core, or put tsc on the PATH of the sandbox'

/** Imports it; undefined where it is not installed, or is a version that works only as a program of its own. */
export async function loadTypeScript(): Promise<TypeScript | undefined> {
  // A variable, so that neither a compiler nor a bundler asks for what is optional.
  const name = 'typescript'
  try {
    const loaded = (await import(name)) as TypeScript & { readonly default?: TypeScript }
    const found = loaded.default ?? loaded
    return typeof found.createProgram === 'function' ? found : undefined
  } catch {
    return undefined
  }
}

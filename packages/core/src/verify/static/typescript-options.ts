// How TypeScript reads a program of which no configuration is known: leniently, and as Node and bundlers take it.

/** As in a `tsconfig.json`; a caller's `compilerOptions` go over them. */
export const COMPILER_OPTIONS: Readonly<Record<string, unknown>> = {
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  // Two files without imports would else share their names.
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  allowJs: true,
  checkJs: true,
  jsx: 'preserve',
  strict: false,
  skipLibCheck: true,
  noEmit: true,
}

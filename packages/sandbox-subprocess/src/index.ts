// The door: the provider and its options, nothing else.
export type { IsolationTier, SubprocessOptions } from './options.js'
export { subprocess } from './subprocess.js'

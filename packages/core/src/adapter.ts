// The second door: the toolkit for people who write sandboxes and model adapters.
export { invalidOption, parseOptions } from './contract/options.js'
export {
  execOptionsSchema,
  limitsSchema,
  networkPolicySchema,
  sandboxOptionsSchema,
} from './contract/sandbox.js'

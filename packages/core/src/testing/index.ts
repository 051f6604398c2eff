// The third door: doubles for people who test sandboxes, models and loops.
export {
  type MemorySandboxProvider,
  memorySandbox,
  type ScriptedExecution,
  type ScriptedExecutionInput,
} from './memory-sandbox.js'
export {
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.js'

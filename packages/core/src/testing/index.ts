// The third door: doubles for people who test sandboxes, models and loops.
export type {
  ConformanceCase,
  ConformanceContext,
  ConformanceFacts,
  ConformanceGroup,
  ConformanceHost,
  ConformanceOptions,
  ConformanceReport,
  ConformanceResult,
  ConformanceServer,
  OptionalMember,
} from './conformance/conformance-case.js'
export { conformanceMarkdown, guaranteesMatrix } from './conformance/conformance-markdown.js'
export { type ConformanceRunOptions, runSandboxConformance } from './conformance/run-sandbox-conformance.js'
export { type ConformanceTestFramework, sandboxConformance } from './conformance/sandbox-conformance.js'
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

// What a static tool says of a program, and how one tool's turn ended.

/** What a finding is about: the text does not parse, a name or a use is wrong, a type does not fit. */
export type FindingKind = 'syntax' | 'lint' | 'type'

/** One thing a tool found without running the program. */
export interface Finding {
  /** The tool that found it: `python3`, `ruff`, `mypy`, `pyright`, `typescript`, `tsc`, `esbuild`, `node` or `parser`. */
  readonly tool: string
  /** The tool's own name for it, such as `F821`, `call-arg`, `TS2554`; `syntax` for text that does not parse. */
  readonly rule: string
  /** What it is about. */
  readonly kind: FindingKind
  /** `error`: the program is wrong, and a loop does not run it. `warning`: style, or a mistake only perhaps. */
  readonly severity: 'error' | 'warning'
  /** What the tool says, in its words. */
  readonly message: string
  /** Path within the workspace. */
  readonly path: string
  /** 1-based line of the code as the model wrote it. */
  readonly line: number
  /** 1-based column, in UTF-16 units as strings here count. */
  readonly column: number
  /** Equal for the same finding in the same line of code, wherever that line has moved to; what `told` takes. */
  readonly id: string
}

/** A finding before it has its `id`. */
export type FoundBy = Omit<Finding, 'id'>

/** How one tool's turn ended. */
export interface ToolRun {
  /** As in {@link Finding}. */
  readonly tool: string
  /** What it was asked for. */
  readonly finds: readonly FindingKind[]
  /** In this process, or as a process in the sandbox. */
  readonly where: 'host' | 'sandbox'
  /** `not-run`: it is there, and crashed, took too long or printed nonsense. Neither says anything of the program. */
  readonly status: 'ran' | 'not-available' | 'not-run'
  /** Why it did not run, or how to get it. */
  readonly reason?: string
}

/** What one tool came to. */
export interface ToolResult extends ToolRun {
  readonly findings: readonly FoundBy[]
}

/** Who a tool is. */
export type ToolName = Pick<ToolRun, 'tool' | 'finds' | 'where'>

/** The tool did its work. */
export const ran = (tool: ToolName, findings: readonly FoundBy[]): ToolResult => ({
  ...tool,
  status: 'ran',
  findings,
})

/** The tool is not there. */
export const notAvailable = (tool: ToolName, reason: string): ToolResult => ({
  ...tool,
  status: 'not-available',
  reason,
  findings: [],
})

/** The tool is there and of no use this time. */
export const toolFailed = (tool: ToolName, reason: string): ToolResult => ({
  ...tool,
  status: 'not-run',
  reason,
  findings: [],
})

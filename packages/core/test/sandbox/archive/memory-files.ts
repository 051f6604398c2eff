import type { WorkspaceFiles } from '../../../src/contract/workspace-files.js'
import { memorySandbox } from '../../../src/testing/memory-sandbox.js'

/** An empty workspace in memory. */
export const memoryFiles = async (): Promise<WorkspaceFiles> => (await memorySandbox().create()).files

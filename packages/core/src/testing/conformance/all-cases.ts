// Every promise, theme by theme; quick ones that say most come first.
import { abortCases } from './cases/aborts.js'
import { changeCases } from './cases/changes.js'
import { closingCases } from './cases/closing.js'
import { companyCases } from './cases/company.js'
import { deadlineCases } from './cases/deadlines.js'
import { fileCases } from './cases/files.js'
import { honestyCases } from './cases/honesty.js'
import { limitCases } from './cases/limits.js'
import { linkCases } from './cases/links.js'
import { optionalFileCases } from './cases/optional-files.js'
import { outputCases } from './cases/output.js'
import { programCases } from './cases/programs.js'
import { runnerCases } from './cases/runner.js'
import { spawnCases } from './cases/spawn.js'
import { wallCases } from './cases/walls.js'
import type { ConformanceCase } from './conformance-case.js'

/** Every promise of a sandbox that the kit probes. */
export const allCases: readonly ConformanceCase[] = [
  ...programCases,
  ...outputCases,
  ...deadlineCases,
  ...limitCases,
  ...abortCases,
  ...fileCases,
  ...optionalFileCases,
  ...linkCases,
  ...changeCases,
  ...wallCases,
  ...companyCases,
  ...closingCases,
  ...spawnCases,
  ...runnerCases,
  ...honestyCases,
]

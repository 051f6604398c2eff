// Writes down what is read out of each recorded output, to be looked through before it is kept:
//   node --conditions=@mendloop/source --import tsx packages/core/test/language/test-output/goldens.ts
import { writeFileSync } from 'node:fs'
import { readTestOutput } from '../../../src/language/test-output/read-test-output.js'
import { outputSummary } from './output-summary.js'
import { RUNNERS, recordedOutput, TEST_OUTPUT_FOLDER, testProject } from './recorded.js'

for (const runner of RUNNERS) {
  const { files } = testProject(runner)
  const { tool, outputs } = recordedOutput(runner)
  const sections = Object.entries(outputs).map(
    ([name, text]) => `=== ${name}\n${outputSummary(readTestOutput(text, { files }))}\n`,
  )
  writeFileSync(new URL(`${runner}.expected.txt`, TEST_OUTPUT_FOLDER), `${tool}\n${sections.join('')}`)
}

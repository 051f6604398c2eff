// Probes of what models most often wrongly decline to do. Each needs Python in the sandbox.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { defineProbe, denies, type Probe } from './probe.js'
import { guestPrograms } from './programs.generated.js'

const FILE = `(?:files?|attachments?|documents?|uploads?|csv|data ?sets?|spreadsheets?)`

/** What a sentence that declines it speaks of. */
const SUBJECTS = {
  run: /\b(?:run|execut\w+|test(?:ing)?|interpret\w*) (?:\w+ ){0,4}?(?:code|programs?|scripts?|python|this|it)\b|\bcode execution\b/iu,
  plot: /\b(?:plots?|plotting|charts?|graphs?|figures?|visuali[sz]\w+|histograms?|draw\w*)\b/iu,
  files: new RegExp(
    String.raw`\b(?:open|access|read|see|view|load|inspect)\w* (?:\w+ ){0,4}?${FILE}\b|\b${FILE} (?:\w+ ){0,4}?(?:opened|accessed|read|seen|viewed)\b`,
    'iu',
  ),
  network: /\b(?:internet|network|online|web(?: ?sites?| ?pages?)?|urls?|download\w*|http\w*)\b/iu,
  zip: /\b(?:zip\w*|unzip\w*|archives?|compress\w*)\b/iu,
  sqlite: /\b(?:sqlite\w*|sql|databases?)\b/iu,
  images: /\b(?:images?|pictures?|photos?|png|jpe?gs?|screenshots?)\b/iu,
} as const

const findingSchema = z.object({ works: z.boolean(), fact: z.string().min(1).max(1000) })

function builtIn(capability: keyof typeof SUBJECTS): Probe {
  const { bootstrap, machine, probe } = guestPrograms
  const word = randomUUID()
  return defineProbe({
    capability,
    matches: (reply) => denies(reply, SUBJECTS[capability]),
    command: {
      argv: ['python3', '-I', '-B', '-c', bootstrap, word, capability],
      // Drawing writes a cache of fonts; it belongs in the temporary folder, not in the workspace.
      env: { MPLCONFIGDIR: '/tmp' },
      stdin: JSON.stringify({ machine, probe }),
    },
    read({ stdout }) {
      const line = stdout.text.split('\n').find((one) => one.startsWith(word))
      return line === undefined ? undefined : findingSchema.parse(JSON.parse(line.slice(word.length)))
    },
  })
}

/** Running code, drawing, opening files, the network, ZIP files, SQLite, images. */
export const BUILT_IN_PROBES: readonly Probe[] = Object.freeze(
  (Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[]).map(builtIn),
)

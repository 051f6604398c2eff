// The dump that the interpreter prints when it is killed by a fault of its own or of native code.
import type { PrintedException, PrintedFrame } from './python-traceback.js'

const FATAL = /^Fatal Python error: .*$/mu
const CURRENT = /^Current thread .* \(most recent call first\):$/mu
const FRAME = /^ {2}File "(.+)", line (\d+) in (.+)$/u

/** The calls of the thread that was running, outermost first like in every other traceback. */
export function parseFatal(text: string): PrintedException | undefined {
  const fatal = FATAL.exec(text)
  if (fatal === null) return undefined
  const current = CURRENT.exec(text.slice(fatal.index))
  const frames: PrintedFrame[] = []
  const dump =
    current === null
      ? []
      : text
          .slice(fatal.index + current.index)
          .split('\n')
          .slice(1)
  for (const line of dump) {
    const frame = FRAME.exec(line)
    if (frame === null) break
    const [, file = '', number = '', name = ''] = frame
    frames.unshift({ file, line: Number(number), function: name })
  }
  return { type: 'Fatal Python error', message: fatal[0], frames, origin: 'main', members: [] }
}

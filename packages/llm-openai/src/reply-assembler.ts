// One reply out of its chunks. A reply that came whole is taken as a single chunk.
import type { ModelReply, ToolCall, Usage } from '@mendloop/core'
import { isRecord, textOf } from './json.js'
import { ToolCallAssembler } from './tool-calls.js'
import { parseUsage } from './usage.js'

/** Everything a server said, before anything is added to it. */
export interface AssembledReply {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly toolCalls: readonly ToolCall[]
  readonly finish: ModelReply['finish']
  readonly usage: Usage
}

const FINISH: Readonly<Record<string, ModelReply['finish']>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  tool_calls: 'tool',
  function_call: 'tool',
  content_filter: 'filter',
}

/** Folds chunks of the chat completions API into one reply. */
export class ReplyAssembler {
  /** The visible text so far. */
  text = ''
  /** True once the server has said why it stopped. */
  finished = false
  /** True once the counts of tokens came in a chunk of their own after the reply was complete. */
  counted = false
  /** True once there was a choice. */
  started = false
  readonly #onText: (text: string) => void
  readonly #toolCalls = new ToolCallAssembler()
  // The older form, which some servers send beside the newer one.
  readonly #functionCall = new ToolCallAssembler()
  #reasoning = ''
  #refusal = ''
  #finish = ''
  #usage: unknown
  #choiceIndex: unknown

  /** @param onText - called with each piece of visible text */
  constructor(onText: (text: string) => void) {
    this.#onText = onText
  }

  /** Takes a chunk, or a whole completion. */
  push(chunk: Readonly<Record<string, unknown>>): void {
    // Counts are running totals where they come in every chunk, so the last one holds.
    const choices: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : []
    if (isRecord(chunk['usage'])) {
      this.#usage = chunk['usage']
      this.counted = this.finished && choices.length === 0
    }
    for (const choice of choices) if (isRecord(choice)) this.#pushChoice(choice)
  }

  /** The reply as it stands. */
  finish(): AssembledReply {
    const calls = this.#toolCalls.finish()
    const toolCalls = calls.length > 0 ? calls : this.#functionCall.finish()
    const hasText = this.text !== '' || this.#reasoning !== '' || toolCalls.length > 0
    return {
      text: this.text,
      reasoning: this.#reasoning,
      refusal: this.#refusal,
      toolCalls,
      finish: this.#finishFor(toolCalls.length > 0),
      usage: parseUsage(this.#usage, hasText),
    }
  }

  #pushChoice(choice: Readonly<Record<string, unknown>>): void {
    // Nobody asked for several answers; of those a server sends, the first is the reply.
    if (!this.started) this.#choiceIndex = choice['index']
    this.started = true
    if (choice['index'] !== this.#choiceIndex) return
    const finish = textOf(choice['finish_reason'])
    if (finish !== '') {
      this.#finish = finish.toLowerCase()
      this.finished = true
    }
    const delta = choice['delta'] ?? choice['message']
    if (!isRecord(delta)) return
    this.#pushContent(delta['content'])
    // One name or the other; servers in transition send the same text under both.
    this.#reasoning += textOf(delta['reasoning_content']) || textOf(delta['reasoning'])
    this.#refusal += textOf(delta['refusal'])
    if (Array.isArray(delta['tool_calls']))
      for (const piece of delta['tool_calls']) this.#toolCalls.push(piece)
    if (isRecord(delta['function_call'])) this.#functionCall.push({ function: delta['function_call'] })
  }

  #pushContent(content: unknown): void {
    const parts = Array.isArray(content) ? content : [content]
    for (const part of parts) {
      if (isRecord(part) && part['type'] === 'thinking') {
        for (const thought of Array.isArray(part['thinking']) ? part['thinking'] : [])
          this.#reasoning += isRecord(thought) ? textOf(thought['text']) : ''
        continue
      }
      const text = isRecord(part) ? textOf(part['text']) : textOf(part)
      if (text === '') continue
      this.text += text
      this.#onText(text)
    }
  }

  #finishFor(hasCalls: boolean): ModelReply['finish'] {
    const known = this.#finish === '' ? 'stop' : (FINISH[this.#finish] ?? 'other')
    if (known === 'stop' && hasCalls) return 'tool'
    // A stop for tools that names none would leave the caller waiting for them.
    return known === 'tool' && !hasCalls ? 'other' : known
  }
}

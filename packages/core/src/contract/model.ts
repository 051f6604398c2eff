// What a model is: one object with `generate`.

/** Talks to one model. */
export interface ModelAdapter {
  /** Stable name, such as `openai:gpt-5-mini`; appears in records and errors. */
  readonly id: string
  /** Version of this contract. */
  readonly specVersion: 'model-v1'
  /**
   * Asks for one reply.
   *
   * @throws MendloopError MODEL_REQUEST_FAILED, ABORTED
   */
  generate(request: ModelRequest): Promise<ModelReply>
  /** What `usage` costs in US dollars; undefined when the price is not known. */
  price?(usage: Usage): number | undefined
}

/** One question to a model. */
export interface ModelRequest {
  /** The conversation so far, oldest first. */
  messages: readonly Message[]
  /** Upper bound of the reply, in tokens. */
  maxOutputTokens?: number
  /** Sampling temperature, as the provider defines it. */
  temperature?: number
  /** Tools the model may call. */
  tools?: readonly ToolSpec[]
  /** Aborting ends the request within a second. */
  signal: AbortSignal
  /** Called with text as it arrives. What it throws is ignored. */
  onDelta?(text: string): void
  /** Passed to the provider as it is. */
  providerOptions?: unknown
}

/** One answer of a model. */
export interface ModelReply {
  /** The visible text, empty when there was none. */
  text: string
  /** Thoughts that the server reported apart from the text; never run. */
  reasoning?: string
  /** The tools it wants called. */
  toolCalls: readonly ToolCall[]
  /** Why it stopped; `length`: it was cut by an output limit. */
  finish: 'stop' | 'length' | 'tool' | 'filter' | 'other'
  /** The words of a refusal that the server marked as one. */
  refusal?: string
  /** What it used. */
  usage: Usage
  /** Things the caller should know of, such as `prompt-probably-truncated`. */
  warnings?: readonly string[]
  /** The provider's own answer, for debugging; never recorded. */
  raw?: unknown
}

/** Tokens used; unknown is `undefined`, never 0. */
export interface Usage {
  /** Tokens of the prompt, cached ones included. */
  inputTokens?: number
  /** Those of them that were served from a cache. */
  cachedInputTokens?: number
  /** Tokens of the reply, reasoning included. */
  outputTokens?: number
  /** Those of them that were reasoning. */
  reasoningTokens?: number
  /** True when the server said nothing and the numbers are an estimate from text length. */
  estimated?: boolean
}

/** One message of a conversation. */
export interface Message {
  /** Who speaks. */
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** Text, or parts. */
  content: string | readonly ContentPart[]
  /** Tools an assistant message called. */
  toolCalls?: readonly ToolCall[]
  /** Which call a `tool` message answers. */
  toolCallId?: string
}

/** A piece of a message. */
export type ContentPart =
  | {
      /** Words. */
      type: 'text'
      /** The words. */
      text: string
    }
  | {
      /** A picture, for models that can see. */
      type: 'image'
      /** Such as `image/png`. */
      mediaType: string
      /** The encoded picture. */
      data: Uint8Array
    }

/** A tool the model may call. */
export interface ToolSpec {
  /** Name, unique among the tools of a request. */
  name: string
  /** What it does, for the model. */
  description: string
  /** JSON Schema of its arguments. */
  parameters: Readonly<Record<string, unknown>>
}

/** A call of a tool. */
export interface ToolCall {
  /** Distinct within the reply and never empty. */
  id: string
  /** Which tool. */
  name: string
  /** Arguments as the model wrote them: JSON text, perhaps broken. */
  arguments: string
}

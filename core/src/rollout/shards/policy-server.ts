import { RandomStream } from '../../determinism/random-stream.ts'
import type { Policy, PolicyRequest } from '../../hooks/roles.ts'
import type { Message } from '../../vocabulary/message.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { SampledMessage, SampleMessage } from './shard-messages.ts'
import { packError } from './thrown-error.ts'

/** What of an attempt's questions is kept from one to the next. */
export class Conversations {
  readonly #messages = new Map<number, Message[]>()
  readonly #streams = new Map<number, RandomStream>()

  /** The same array as at the last question about it, longer: policies read on from where they were. */
  messages({ id, from, added }: SampleMessage['messages']): readonly Message[] {
    const messages = this.#messages.get(id) ?? []
    this.#messages.set(id, messages)
    messages.length = from
    messages.push(...added)
    return messages
  }

  random({ id, key, state }: SampleMessage['random']): RandomStream {
    const random = this.#streams.get(id) ?? RandomStream.revive(key, state)
    this.#streams.set(id, random)
    random.restore(state)
    return random
  }
}

/** Puts the questions of one shard's attempts to the orchestrator's policy, as if its rollouts ran beside it. */
export class PolicyServer {
  readonly #tools = new Map<number, readonly ToolDefinition[]>()
  readonly #send: (message: SampledMessage) => void

  constructor(send: (message: SampledMessage) => void) {
    this.#send = send
  }

  async serve(
    question: SampleMessage,
    policy: Policy,
    conversations: Conversations,
    signal: AbortSignal,
  ): Promise<void> {
    const { slot, call } = question
    const request = this.#request(question, conversations)
    try {
      const response = await policy.sample(request, signal)
      const { policyVersion } = policy
      const random = request.random.state()
      this.#send({ kind: 'sampled', slot, call, answer: { ok: true, response, policyVersion, random } })
    } catch (error) {
      this.#send({ kind: 'sampled', slot, call, answer: { ok: false, error: packError(error) } })
    }
  }

  #request({ messages, tools, random, role, sampling }: SampleMessage, conversations: Conversations): PolicyRequest {
    if (tools.list !== null) this.#tools.set(tools.id, tools.list)
    return {
      messages: conversations.messages(messages),
      tools: this.#tools.get(tools.id) ?? [],
      role,
      sampling,
      random: conversations.random(random),
    }
  }
}

import type { RandomStream } from '../../determinism/random-stream.ts'
import type { Policy, PolicyRequest, PolicyResponse } from '../../hooks/roles.ts'
import type { Message } from '../../vocabulary/message.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import type { FromShard, PlayMessage, SampledMessage } from './shard-messages.ts'
import { unpackError } from './thrown-error.ts'

/** Lists of tools that one shard has sent already. */
export class SentTools {
  readonly #ids = new WeakMap<readonly ToolDefinition[], number>()
  #next = 0

  /** The list's number, with the list itself when it is new. */
  name(tools: readonly ToolDefinition[]): { readonly id: number; readonly list: readonly ToolDefinition[] | null } {
    const known = this.#ids.get(tools)
    if (known !== undefined) return { id: known, list: null }
    const id = this.#next++
    this.#ids.set(tools, id)
    return { id, list: tools }
  }
}

interface Call {
  readonly random: RandomStream
  readonly resolve: (response: PolicyResponse) => void
  readonly reject: (error: Error) => void
}

/**
 * The orchestrator's policy as one attempt in a shard sees it. Sends of a conversation what has been added since the last
 * call, and takes back how far the policy drew from the attempt's random stream.
 */
export class ServedPolicy implements Policy {
  readonly name: string
  readonly #slot: number
  readonly #send: (message: FromShard) => void
  readonly #tools: SentTools
  readonly #conversations = new WeakMap<readonly Message[], { readonly id: number; sent: number }>()
  readonly #streams = new WeakMap<RandomStream, number>()
  readonly #calls = new Map<number, Call>()
  #policyVersion: number
  #ids = 0

  constructor(
    { slot }: Pick<PlayMessage, 'slot'>,
    { name, policyVersion }: { readonly name: string; readonly policyVersion: number },
    tools: SentTools,
    send: (message: FromShard) => void,
  ) {
    this.name = name
    this.#policyVersion = policyVersion
    this.#slot = slot
    this.#tools = tools
    this.#send = send
  }

  get policyVersion(): number {
    return this.#policyVersion
  }

  sample({ messages, tools, role, sampling, random }: PolicyRequest, signal: AbortSignal): Promise<PolicyResponse> {
    const call = this.#ids++
    const conversation = this.#conversations.get(messages) ?? { id: this.#ids++, sent: 0 }
    this.#conversations.set(messages, conversation)
    const from = messages.length >= conversation.sent ? conversation.sent : 0
    conversation.sent = messages.length
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { random, resolve, reject })
      signal.addEventListener('abort', () => this.#calls.delete(call), { once: true })
      this.#send({
        kind: 'sample',
        slot: this.#slot,
        call,
        messages: { id: conversation.id, from, added: messages.slice(from) },
        tools: this.#tools.name(tools),
        random: { id: this.#idOf(random), key: random.key, state: random.state() },
        role,
        sampling,
      })
    })
  }

  answer({ call, answer }: SampledMessage): void {
    const waiting = this.#calls.get(call)
    if (waiting === undefined) return
    this.#calls.delete(call)
    if (!answer.ok) {
      waiting.reject(unpackError(answer.error))
      return
    }
    waiting.random.restore(answer.random)
    this.#policyVersion = answer.policyVersion
    waiting.resolve(answer.response)
  }

  #idOf(random: RandomStream): number {
    const id = this.#streams.get(random) ?? this.#ids++
    this.#streams.set(random, id)
    return id
  }
}

import {
  type ActionSpan,
  type Policy,
  type PolicyRequest,
  type PolicyResponse,
  type PolicySnapshot,
  RlenvError,
  type ToolDefinition,
} from 'rlenv'
import { CandidateBuffer } from '../decisions/candidate-buffer.ts'
import { planTurn } from '../decisions/turn-plan.ts'
import { TaskViews } from '../transcript/task-view.ts'
import { rememberTools } from '../transcript/tool-registry.ts'
import { isMetaSurface, TranscriptReader } from '../transcript/transcript-reader.ts'
import type { Model } from '../weights/model.ts'
import { SpanRecorder } from '../weights/packed-span.ts'
import { Softmax } from '../weights/softmax.ts'
import type { SpanCache } from '../weights/span-cache.ts'
import { listToolsMessage, planMessage } from './assistant-text.ts'
import { SamplingChooser } from './sampling-chooser.ts'

/**
 * A log-linear policy over decisions. It sees what an MCP client sees: the user's text, tools with schemas and read-only
 * hints, and JSON results. An action is the position of the chosen candidate; a decision with one candidate is none.
 *
 * Greedy sampling records log-probabilities at temperature 1. Below top-p 1 the recorded distribution is the whole one,
 * as inference servers do; train with top-p 1.
 */
export class EmbeddedPolicy implements Policy {
  readonly name = 'embedded'
  readonly #model: Model
  /** Null in a copy, whose learner never trains. */
  #cache: SpanCache | null
  readonly #reader: TranscriptReader
  readonly #buffer: CandidateBuffer
  readonly #recorder = new SpanRecorder()
  readonly #softmax = new Softmax()

  constructor(model: Model, cache: SpanCache) {
    this.#model = model
    this.#cache = cache
    this.#reader = new TranscriptReader(new TaskViews(model.space))
    this.#buffer = new CandidateBuffer(model.space)
  }

  get policyVersion(): number {
    return this.#model.policyVersion
  }

  /** @throws {RlenvError} RLENV_CONFIG_INVALID for a role other than "act". */
  sample(request: PolicyRequest): PolicyResponse {
    const { messages, tools, role, sampling, random } = request
    if (role !== 'act') throw unknownRole(role)
    const id = `call_${messages.length}`
    const episode = this.#reader.read(messages, tools)
    if (episode === null) return respond(listToolsMessage(id), this.#span(request, [], []))
    this.#recorder.reset()
    const chooser = new SamplingChooser(this.#model, sampling, random, this.#recorder, this.#softmax)
    const plan = planTurn(episode, this.#buffer, chooser)
    const span = this.#span(request, chooser.actions, chooser.logProbs)
    this.#cache?.set(span, this.#recorder.pack())
    return respond(planMessage(plan, id, episode.view.catalogue, tools), span)
  }

  snapshot(): PolicySnapshot {
    return { version: this.policyVersion, state: new Uint8Array(this.#model.published.slice().buffer) }
  }

  /** @throws {RlenvError} RLENV_CONFIG_INVALID for weights of another number. */
  restore({ version, state }: PolicySnapshot): void {
    this.#model.adopt(version, state)
    this.#cache = null
  }

  offered(tools: readonly ToolDefinition[]): void {
    rememberTools(tools)
  }

  #span({ tools, role, sampling }: PolicyRequest, actions: number[], logProbs: number[]): ActionSpan {
    const span = { role, policyVersion: this.policyVersion, temperature: sampling.temperature, actions, logProbs }
    return isMetaSurface(tools) ? span : { ...span, toolsHash: rememberTools(tools) }
  }
}

/** Usage counts decisions: there are no tokens. */
function respond(message: PolicyResponse['message'], span: ActionSpan): PolicyResponse {
  return { message, span, finish: 'stop', usage: { promptTokens: 0, completionTokens: span.actions.length } }
}

function unknownRole(role: string): RlenvError {
  return new RlenvError(`the embedded policy plays the role "act" only, not "${role}"`, {
    code: 'RLENV_CONFIG_INVALID',
    fix: 'Use a language-model policy for rollout strategies with more roles.',
  })
}

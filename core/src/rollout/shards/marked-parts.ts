import type { Policy, PolicyRequest, PolicyResponse } from '../../hooks/roles.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import { isPromise } from '../deadline.ts'
import type { ShardMarks } from './shard-marks.ts'

/** The hook points that judge, marked as one attempt's. */
export function markedPipeline(pipeline: Pipeline, marks: ShardMarks, slot: number): Pick<Pipeline, 'judge' | 'chain'> {
  return {
    judge: (input, context) => marks.within(slot, 'verifier', '', () => pipeline.judge(input, context)),
    chain: (name, value, context) => marks.within(slot, 'shaper', '', () => pipeline.chain(name, value, context)),
  }
}

/** A policy that samples in the shard, marked as one attempt's. */
export class MarkedPolicy implements Policy {
  readonly #policy: Policy
  readonly #marks: ShardMarks
  readonly #slot: number
  readonly #onAnswer: (request: PolicyRequest, response: PolicyResponse) => void

  /** @param onAnswer - told every answer that came at once or in time. */
  constructor(
    policy: Policy,
    marks: ShardMarks,
    slot: number,
    onAnswer: (request: PolicyRequest, response: PolicyResponse) => void,
  ) {
    this.#policy = policy
    this.#marks = marks
    this.#slot = slot
    this.#onAnswer = onAnswer
  }

  get name(): string {
    return this.#policy.name
  }

  get policyVersion(): number {
    return this.#policy.policyVersion
  }

  sample(request: PolicyRequest, signal: AbortSignal): PolicyResponse | Promise<PolicyResponse> {
    const sampled = this.#marks.within(this.#slot, 'policy', '', () => this.#policy.sample(request, signal))
    if (isPromise(sampled)) return sampled.then((response) => this.#answered(request, response))
    return this.#answered(request, sampled)
  }

  #answered(request: PolicyRequest, response: PolicyResponse): PolicyResponse {
    this.#onAnswer(request, response)
    return response
  }
}

import type { RandomStream, SamplingParams } from 'rlenv'
import type { CandidateBuffer } from '../decisions/candidate-buffer.ts'
import type { Chooser } from '../decisions/turn-plan.ts'
import type { Model } from '../weights/model.ts'
import type { SpanRecorder } from '../weights/packed-span.ts'
import type { Softmax } from '../weights/softmax.ts'

/** Temperature of the distribution whose log-probabilities are recorded: greedy sampling records those at 1. */
export function scoringTemperature(temperature: number): number {
  return temperature > 0 ? temperature : 1
}

/** Samples each decision from the softmax over its candidates and notes what it chose. */
export class SamplingChooser implements Chooser {
  readonly actions: number[] = []
  readonly logProbs: number[] = []
  readonly #model: Model
  readonly #sampling: SamplingParams
  readonly #random: RandomStream
  readonly #recorder: SpanRecorder
  readonly #softmax: Softmax

  constructor(model: Model, sampling: SamplingParams, random: RandomStream, recorder: SpanRecorder, softmax: Softmax) {
    this.#model = model
    this.#sampling = sampling
    this.#random = random
    this.#recorder = recorder
    this.#softmax = softmax
  }

  choose(buffer: CandidateBuffer): number {
    const { temperature, topP } = this.#sampling
    const softmax = this.#softmax
    softmax.scoreBuffer(this.#model.published, this.#model.revision, buffer, scoringTemperature(temperature))
    const action = temperature > 0 ? this.#draw(buffer.count, topP) : greatest(softmax.logits, buffer.count)
    this.#recorder.add(buffer)
    this.actions.push(action)
    this.logProbs.push(softmax.logProbability(action))
    return action
  }

  #draw(count: number, topP: number): number {
    const { probabilities } = this.#softmax
    const kept = topP < 1 ? nucleus(probabilities, count, topP) : null
    let rest = this.#random.real() * (kept === null ? 1 : kept.mass)
    let last = 0
    for (let candidate = 0; candidate < count; candidate++) {
      if (kept !== null && !kept.members.has(candidate)) continue
      last = candidate
      rest -= probabilities[candidate] as number
      if (rest < 0) return candidate
    }
    return last
  }
}

/** Position of the largest value; the first of equals. */
function greatest(values: Float64Array, count: number): number {
  let best = 0
  for (let i = 1; i < count; i++) if ((values[i] as number) > (values[best] as number)) best = i
  return best
}

/** The fewest most probable candidates whose probabilities add up to `topP`. */
function nucleus(probabilities: Float64Array, count: number, topP: number): { members: Set<number>; mass: number } {
  const order = [...probabilities.subarray(0, count).keys()]
  order.sort((a, b) => (probabilities[b] as number) - (probabilities[a] as number) || a - b)
  const members = new Set<number>()
  let mass = 0
  for (const candidate of order) {
    members.add(candidate)
    mass += probabilities[candidate] as number
    if (mass >= topP) break
  }
  return { members, mass }
}

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RandomStream } from '../../src/determinism/random-stream.ts'
import type {
  AccumulateReport,
  Learner,
  Policy,
  PolicyRequest,
  PolicyResponse,
  PolicySnapshot,
  ScaledSample,
  StepReport,
} from '../../src/hooks/roles.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import type { Message } from '../../src/vocabulary/message.ts'
import type { Task, ToolCall } from '../../src/vocabulary/task.ts'
import type { Loss, TrainingSample } from '../../src/vocabulary/training-sample.ts'

/** What a rollout may do, decided by its only action: solve the task, answer at once, or stop after one call. */
const arms = 3

type Plan = readonly (ToolCall | string)[]

function plansOf({ gold }: Task): readonly Plan[] {
  const answer = typeof gold.answer === 'string' ? gold.answer : 'done'
  return [[...gold.calls, answer], ['I would rather not.'], [...gold.calls.slice(0, 1), 'That is all.']]
}

function logSoftmax(scores: readonly number[], temperature: number): number[] {
  const scaled = scores.map((score) => score / temperature)
  const highest = Math.max(...scaled)
  const total = Math.log(scaled.reduce((sum, score) => sum + Math.exp(score - highest), 0)) + highest
  return scaled.map((score) => score - total)
}

const instructionOf = (messages: readonly Message[]) => messages.find(({ role }) => role === 'user')?.content ?? ''

/** One softmax over the arms per kind of task, sampled at the first turn of a rollout. */
class TabularPolicy implements Policy {
  readonly name = 'tabular'
  policyVersion = 0
  weights: Record<string, number[]>
  readonly #tasks: ReadonlyMap<string, Task>
  readonly #plans = new WeakMap<RandomStream, { readonly plan: Plan; turn: number }>()

  constructor(environments: readonly Environment[], initial: readonly number[]) {
    this.#tasks = new Map(environments.flatMap(({ tasks }) => tasks.map((task) => [task.instruction, task])))
    const kinds = [...this.#tasks.values()].map(({ kind }) => kind)
    this.weights = Object.fromEntries(kinds.map((kind) => [kind, [...initial]]))
  }

  taskOf(messages: readonly Message[]): Task {
    const task = this.#tasks.get(instructionOf(messages))
    if (!task) throw new Error(`no task says "${instructionOf(messages)}"`)
    return task
  }

  sample({ messages, role, sampling, random }: PolicyRequest): PolicyResponse {
    const known = this.#plans.get(random)
    const actions: number[] = []
    const logProbs: number[] = []
    const task = this.taskOf(messages)
    if (!known) {
      const { arm, logProb } = this.#choose(this.weights[task.kind]!, sampling.temperature, random)
      actions.push(arm)
      logProbs.push(logProb)
      this.#plans.set(random, { plan: plansOf(task)[arm]!, turn: 0 })
    }
    const state = this.#plans.get(random)!
    const move = state.plan[state.turn++]!
    const id = `call_${state.turn}`
    return {
      message:
        typeof move === 'string'
          ? { role: 'assistant', content: move }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id, type: 'function', function: { name: move.tool, arguments: JSON.stringify(move.arguments) } },
              ],
            },
      span: { role, policyVersion: this.policyVersion, temperature: sampling.temperature, actions, logProbs },
      finish: 'stop',
      usage: { promptTokens: 0, completionTokens: actions.length },
    }
  }

  snapshot(): PolicySnapshot {
    return { version: this.policyVersion, state: Buffer.from(JSON.stringify(this.weights)) }
  }

  restore({ version, state }: PolicySnapshot): void {
    this.policyVersion = version
    this.weights = JSON.parse(Buffer.from(state).toString('utf8'))
  }

  #choose(weights: readonly number[], temperature: number, random: RandomStream): { arm: number; logProb: number } {
    if (temperature === 0) return { arm: weights.indexOf(Math.max(...weights)), logProb: 0 }
    const logs = logSoftmax(weights, temperature)
    const point = random.real()
    let covered = 0
    for (const [arm, logProb] of logs.entries()) {
      covered += Math.exp(logProb)
      if (point < covered || arm === arms - 1) return { arm, logProb }
    }
    throw new Error('there are no arms')
  }
}

const logProbsOf = ({ actions }: TrainingSample, logs: readonly number[]) =>
  Float64Array.from(actions, (action) => logs[action]!)

/** Plain gradient descent on a {@link TabularPolicy}; small enough to follow by hand, real enough to learn. */
export class TabularLearner implements Learner {
  readonly name = 'tabular'
  readonly policy: TabularPolicy
  policyVersion = 0
  /** Called before every accumulate; may throw to play a crash. */
  onAccumulate: () => void = () => {}
  readonly #rate: number
  readonly #reference: Readonly<Record<string, readonly number[]>>
  #weights: Record<string, number[]>
  #gradient: Record<string, number[]> = {}

  constructor(environments: readonly Environment[], { rate = 2, initial = [0, 0, 0] as readonly number[] } = {}) {
    this.policy = new TabularPolicy(environments, initial)
    this.#weights = structuredClone(this.policy.weights)
    this.#reference = structuredClone(this.policy.weights)
    this.#rate = rate
  }

  async accumulate(samples: readonly ScaledSample[], loss: Loss): Promise<AccumulateReport> {
    this.onAccumulate()
    let total = 0
    const sums: Record<string, number> = {}
    for (const { sample, scales } of samples) {
      const { kind, temperature, logs } = this.#score(sample, this.#weights)
      const logProbs = logProbsOf(sample, logs)
      const referenceLogProbs = logProbsOf(sample, this.#score(sample, this.#reference).logs)
      const output = loss.evaluate({
        sample,
        logProbs,
        scales,
        ...(loss.needsReference ? { referenceLogProbs } : {}),
      })
      total += output.loss
      for (const [name, value] of Object.entries(output.sums)) sums[name] = (sums[name] ?? 0) + value
      this.#gradient[kind] ??= new Array(arms).fill(0)
      const gradient = this.#gradient[kind]
      sample.actions.forEach((chosen, t) => {
        for (let arm = 0; arm < arms; arm++) {
          gradient[arm]! += (output.gradient[t]! * ((arm === chosen ? 1 : 0) - Math.exp(logs[arm]!))) / temperature
        }
      })
    }
    return { loss: total, sums }
  }

  async logProbs(samples: readonly TrainingSample[], weights: 'trained' | 'reference'): Promise<Float64Array[]> {
    const scoring = weights === 'reference' ? this.#reference : this.#weights
    return samples.map((sample) => logProbsOf(sample, this.#score(sample, scoring).logs))
  }

  async step(): Promise<StepReport> {
    const entries = Object.entries(this.#gradient)
    const gradNorm = Math.sqrt(entries.flatMap(([, g]) => g).reduce((sum, value) => sum + value * value, 0))
    this.#gradient = {}
    if (entries.length === 0) return { gradNorm: 0, applied: false, reason: null }
    if (!Number.isFinite(gradNorm)) return { gradNorm, applied: false, reason: 'the gradient is not finite' }
    for (const [kind, gradient] of entries) {
      this.#weights[kind] = this.#weights[kind]!.map((weight, arm) => weight - this.#rate * gradient[arm]!)
    }
    return { gradNorm, applied: true, reason: null }
  }

  async publish(): Promise<number> {
    this.policyVersion += 1
    this.#serve()
    return this.policyVersion
  }

  async save(directory: string): Promise<void> {
    const state = { policyVersion: this.policyVersion, weights: this.#weights }
    await writeFile(join(directory, 'weights.json'), JSON.stringify(state))
  }

  async load(directory: string): Promise<void> {
    const state = JSON.parse(await readFile(join(directory, 'weights.json'), 'utf8'))
    this.#weights = state.weights
    this.policyVersion = state.policyVersion
    this.#serve()
  }

  async close(): Promise<void> {}

  #score(sample: TrainingSample, weights: Readonly<Record<string, readonly number[]>>) {
    const { kind } = this.policy.taskOf(sample.trajectory.messages)
    const { temperature } = sample.trajectory.turns[sample.turns[0]!]!.span
    return { kind, temperature, logs: logSoftmax(weights[kind]!, temperature) }
  }

  #serve(): void {
    this.policy.weights = structuredClone(this.#weights)
    this.policy.policyVersion = this.policyVersion
  }
}

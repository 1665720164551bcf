import type { Json, RandomStream, TaskSampler, TrajectoryGroup } from 'rlenv'
import { type GroupSignal, groupSignal } from './group-signal.ts'
import { readState, writeState } from './sampler-state.ts'

export interface WeightOptions {
  readonly window: number
  readonly floor: number
  readonly ties: 'passed' | 'all'
}

/** A group that a task is credited with before its first one, so that a single tie does not take it out. */
const priorGroups = 1

/** Draws by weight, without replacement within one call. */
export class WeightedDraws implements TaskSampler {
  readonly #ids: readonly string[]
  readonly #known: ReadonlySet<string>
  readonly #random: RandomStream
  readonly #options: WeightOptions
  /** The latest signals of each task that has any, oldest first, at most `window`. */
  #signals: Map<string, readonly GroupSignal[]> = new Map()

  constructor(ids: readonly string[], random: RandomStream, options: WeightOptions) {
    this.#ids = ids
    this.#known = new Set(ids)
    this.#random = random
    this.#options = options
  }

  /** Probability of each task to be the next one drawn; they sum to one. */
  weights(): ReadonlyMap<string, number> {
    const raw = this.#ids.map((id) => this.#rawWeight(id))
    const total = raw.reduce((sum, weight) => sum + weight, 0)
    return new Map(this.#ids.map((id, index) => [id, (raw[index] ?? 0) / total]))
  }

  draw(count: number): readonly string[] {
    const drawn: string[] = []
    while (drawn.length < count && this.#ids.length > 0) drawn.push(...this.#ranked().slice(0, count - drawn.length))
    return drawn
  }

  observe(group: TrajectoryGroup): void {
    const signal = groupSignal(group, this.#options.ties)
    if (signal === null || !this.#known.has(group.taskId)) return
    const before = this.#signals.get(group.taskId) ?? []
    this.#signals.set(group.taskId, [...before, signal].slice(-this.#options.window))
  }

  state(): Json {
    return writeState({ random: this.#random.state(), signals: Object.fromEntries(this.#signals) })
  }

  restore(state: Json): void {
    const { random, signals } = readState(state, this.#ids)
    this.#random.restore(random)
    const { window } = this.#options
    this.#signals = new Map(Object.entries(signals).map(([id, latest]) => [id, latest.slice(-window)]))
  }

  /** From the floor to 1: the share of the latest groups that differed, with the prior counted as one that did. */
  #rawWeight(id: string): number {
    const latest = this.#signals.get(id) ?? []
    const differed = latest.filter((signal) => signal === 'differed').length
    const share = (differed + priorGroups) / (latest.length + priorGroups)
    return this.#options.floor + (1 - this.#options.floor) * share
  }

  /**
   * All tasks in the order of a weighted draw without replacement: by the key u^(1/weight), largest first.
   *
   * @see Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006, algorithm A.
   */
  #ranked(): readonly string[] {
    const keyed = this.#ids.map((id) => ({ id, key: Math.log(1 - this.#random.real()) / this.#rawWeight(id) }))
    return keyed.sort((a, b) => b.key - a.key).map(({ id }) => id)
  }
}

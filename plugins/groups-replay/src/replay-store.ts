import {
  type HandlerMemory,
  isCounted,
  type Json,
  type JudgedTrajectory,
  type SpillBuffer,
  type TrajectoryGroup,
} from 'rlenv'
import { contentOf } from './content-of.ts'
import { readMemory, type StoredRollout, savedMemory } from './replay-memory.ts'

export interface ReplayLimits {
  /** In policy versions. */
  readonly maxAge: number
  readonly perReward: number
  readonly maxPerTask: number
  readonly maxTotal: number
}

/** Two rewards are the same when they differ by less than this share of the larger magnitude. */
const tolerance = 1e-9

const sameReward = (a: number, b: number) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b))

/** Past rollouts by task, oldest first. Holds neither faults, nor what was replayed, nor the same rollout twice. */
export class ReplayStore implements HandlerMemory {
  readonly #limits: ReplayLimits
  readonly #buffer: SpillBuffer
  #byTask = new Map<string, readonly StoredRollout[]>()
  #size = 0
  #nextOrder = 0

  /** @param buffer - where rollouts lie. */
  constructor(limits: ReplayLimits, buffer: SpillBuffer) {
    this.#limits = limits
    this.#buffer = buffer
  }

  get size(): number {
    return this.#size
  }

  /** Drops what is more versions old than the limit when the learner has this version. */
  forgetBefore(learnerVersion: number): void {
    const oldest = learnerVersion - this.#limits.maxAge
    for (const [task, rollouts] of this.#byTask) {
      this.#set(
        task,
        rollouts.filter(({ policyVersion }) => policyVersion >= oldest),
      )
    }
  }

  /** The newest rollout of a task whose reward is another one. */
  otherThan(taskId: string, reward: number): JudgedTrajectory | undefined {
    return this.#byTask
      .get(taskId)
      ?.findLast((stored) => !sameReward(stored.reward, reward))
      ?.judged.read()
  }

  /** Takes the members that count, as far as the limits allow. */
  add({ taskId, members }: TrajectoryGroup): void {
    for (const judged of members) {
      if (!isCounted(judged) || judged.replayed === true) continue
      const rollouts = this.#byTask.get(taskId) ?? []
      const content = contentOf(judged)
      if (rollouts.some((stored) => stored.content === content)) continue
      const { reward, trajectory } = judged
      const { policyVersion } = trajectory
      const stored = { order: this.#nextOrder++, content, reward, policyVersion, judged: this.#buffer.keep(judged) }
      this.#set(taskId, this.#bounded([...rollouts, stored]))
    }
    while (this.#size > this.#limits.maxTotal) this.#dropOldest()
  }

  state(): Json {
    return savedMemory({ nextOrder: this.#nextOrder, tasks: this.#byTask })
  }

  /** @throws {RlenvError} RLENV_CHECKPOINT_INVALID */
  restore(state: Json): void {
    const { nextOrder, tasks } = readMemory(state, this.#buffer)
    const kept = new Set([...tasks.values()].flatMap((rollouts) => rollouts.map(({ judged }) => judged)))
    for (const { judged } of [...this.#byTask.values()].flat()) if (!kept.has(judged)) judged.release()
    this.#byTask = new Map(tasks)
    this.#nextOrder = nextOrder
    this.#size = kept.size
  }

  /** One rollout too many: the oldest of its reward goes, else the oldest of the most frequent reward. */
  #bounded(rollouts: readonly StoredRollout[]): readonly StoredRollout[] {
    const newest = rollouts.at(-1) as StoredRollout
    const alike = (one: StoredRollout) => rollouts.filter((other) => sameReward(one.reward, other.reward))
    const same = alike(newest)
    if (same.length > this.#limits.perReward) return rollouts.filter((stored) => stored !== same[0])
    if (rollouts.length <= this.#limits.maxPerTask) return rollouts
    const frequent = rollouts.reduce((most, one) => (alike(one).length > alike(most).length ? one : most))
    return rollouts.filter((stored) => stored !== frequent)
  }

  /** Of the earlier rollouts, those that are not among the new ones are let go. */
  #set(task: string, rollouts: readonly StoredRollout[]): void {
    const earlier = this.#byTask.get(task) ?? []
    for (const stored of earlier) if (!rollouts.includes(stored)) stored.judged.release()
    this.#size += rollouts.length - earlier.length
    if (rollouts.length === 0) this.#byTask.delete(task)
    else this.#byTask.set(task, rollouts)
  }

  #dropOldest(): void {
    let oldest: { readonly task: string; readonly order: number } | null = null
    for (const [task, [first]] of this.#byTask) {
      if (first !== undefined && (oldest === null || first.order < oldest.order)) oldest = { task, order: first.order }
    }
    if (oldest !== null) this.#set(oldest.task, this.#byTask.get(oldest.task)?.slice(1) ?? [])
  }
}

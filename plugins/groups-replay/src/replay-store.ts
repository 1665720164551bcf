import { type HandlerMemory, isCounted, type Json, type JudgedTrajectory, type TrajectoryGroup } from 'rlenv'
import { contentOf } from './content-of.ts'
import { readMemory, type StoredRollout } from './replay-memory.ts'

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

const rewardOf = ({ judged }: StoredRollout): number => judged.reward ?? Number.NaN

/** Past rollouts by task, oldest first. Holds neither faults, nor what was replayed, nor the same rollout twice. */
export class ReplayStore implements HandlerMemory {
  readonly #limits: ReplayLimits
  #byTask = new Map<string, readonly StoredRollout[]>()
  #size = 0
  #nextOrder = 0

  constructor(limits: ReplayLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#size
  }

  /** Drops what is more versions old than the limit. */
  forgetBefore(policyVersion: number): void {
    const oldest = policyVersion - this.#limits.maxAge
    for (const [task, rollouts] of this.#byTask) {
      this.#set(
        task,
        rollouts.filter(({ judged }) => judged.trajectory.policyVersion >= oldest),
      )
    }
  }

  /** The newest rollout of a task whose reward is another one. */
  otherThan(taskId: string, reward: number): JudgedTrajectory | undefined {
    return this.#byTask.get(taskId)?.findLast((stored) => !sameReward(rewardOf(stored), reward))?.judged
  }

  /** Takes the members that count, as far as the limits allow. */
  add({ taskId, members }: TrajectoryGroup): void {
    for (const judged of members) {
      if (!isCounted(judged) || judged.replayed === true) continue
      const rollouts = this.#byTask.get(taskId) ?? []
      const content = contentOf(judged)
      if (rollouts.some((stored) => stored.content === content)) continue
      this.#set(taskId, this.#bounded([...rollouts, { order: this.#nextOrder++, content, judged }]))
    }
    while (this.#size > this.#limits.maxTotal) this.#dropOldest()
  }

  state(): Json {
    const tasks = Object.fromEntries([...this.#byTask].map(([task, rollouts]) => [task, [...rollouts]]))
    return { nextOrder: this.#nextOrder, tasks } as unknown as Json
  }

  /** @throws {RlenvError} RLENV_CHECKPOINT_INVALID */
  restore(state: Json): void {
    const { nextOrder, tasks } = readMemory(state)
    this.#byTask = new Map(Object.entries(tasks))
    this.#nextOrder = nextOrder
    this.#size = [...this.#byTask.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** One rollout too many: the oldest of its reward goes, else the oldest of the most frequent reward. */
  #bounded(rollouts: readonly StoredRollout[]): readonly StoredRollout[] {
    const newest = rollouts.at(-1) as StoredRollout
    const alike = (one: StoredRollout) => rollouts.filter((other) => sameReward(rewardOf(one), rewardOf(other)))
    const same = alike(newest)
    if (same.length > this.#limits.perReward) return rollouts.filter((stored) => stored !== same[0])
    if (rollouts.length <= this.#limits.maxPerTask) return rollouts
    const frequent = rollouts.reduce((most, one) => (alike(one).length > alike(most).length ? one : most))
    return rollouts.filter((stored) => stored !== frequent)
  }

  #set(task: string, rollouts: readonly StoredRollout[]): void {
    this.#size += rollouts.length - (this.#byTask.get(task)?.length ?? 0)
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

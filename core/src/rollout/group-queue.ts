import type { Draw } from '../hooks/roles.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'

/** One member of one draw, to be played. */
export interface MemberJob {
  /** Position of its draw in the request. */
  readonly position: number
  readonly draw: Draw
  readonly rolloutIndex: number
}

/** A played member with the attempts before it that ended in faults. */
export interface PlayedMember {
  readonly judged: JudgedTrajectory
  readonly failed: readonly JudgedTrajectory[]
}

/** All members of one draw, in order of their index. */
export interface FinishedGroup {
  readonly draw: Draw
  readonly members: readonly JudgedTrajectory[]
  readonly failed: readonly JudgedTrajectory[]
}

/** How far a queue is. */
export interface QueueCounts {
  /** Draws that were begun and not taken, and how many of them have all of their members. */
  readonly open: number
  readonly finished: number
  /** Members that were not handed out. */
  readonly notBegun: number
  /** Whether none is handed out before the oldest draw is taken. */
  readonly isFull: boolean
}

/**
 * Hands out members in order and gives groups back in order, whoever finishes first. No draw starts further ahead of the
 * oldest unfinished one than the window allows, so memory stays bounded when nobody takes groups or one is slow.
 */
export class GroupQueue {
  readonly #draws: readonly Draw[]
  readonly #size: number
  readonly #window: number
  readonly #open = new Map<number, (PlayedMember | undefined)[]>()
  #next = 0
  #taken = 0
  #error: unknown = null
  #wake: (() => void)[] = []

  /** @param window - draws that may be open at a time. */
  constructor(draws: readonly Draw[], size: number, window: number) {
    this.#draws = draws
    this.#size = size
    this.#window = window
  }

  /** The next member; null when there is none left or the queue has failed. Waits while the window is full. */
  async next(): Promise<MemberJob | null> {
    for (;;) {
      const position = Math.floor(this.#next / this.#size)
      const draw = this.#draws[position]
      if (draw === undefined || this.#error !== null) return null
      if (position < this.#taken + this.#window) {
        const rolloutIndex = this.#next % this.#size
        this.#next++
        return { position, draw, rolloutIndex }
      }
      await this.#change()
    }
  }

  deliver({ position, rolloutIndex }: MemberJob, member: PlayedMember): void {
    const members = this.#open.get(position) ?? new Array<PlayedMember | undefined>(this.#size).fill(undefined)
    members[rolloutIndex] = member
    this.#open.set(position, members)
    if (position === this.#taken) this.#wakeAll()
  }

  /** Nothing more is handed out, and the next `take` throws this error. */
  fail(error: unknown): void {
    this.#error ??= error
    this.#wakeAll()
  }

  /** The next group in order; waits for its last member. */
  async take(): Promise<FinishedGroup> {
    for (;;) {
      const members = this.#open.get(this.#taken)
      const draw = this.#draws[this.#taken]
      if (draw !== undefined && members?.every((member) => member !== undefined)) {
        this.#open.delete(this.#taken)
        this.#taken++
        this.#wakeAll()
        return {
          draw,
          members: members.map(({ judged }) => judged),
          failed: members.flatMap(({ failed }) => failed),
        }
      }
      if (this.#error !== null) throw this.#error
      await this.#change()
    }
  }

  /** The group that comes next, with how many of its members are there; null when all were taken. */
  get oldest(): { readonly draw: Draw; readonly played: number } | null {
    const draw = this.#draws[this.#taken]
    if (draw === undefined) return null
    const members = this.#open.get(this.#taken) ?? []
    return { draw, played: members.filter((member) => member !== undefined).length }
  }

  get counts(): QueueCounts {
    const finished = [...this.#open.values()].filter((members) => members.every((member) => member !== undefined))
    return {
      open: Math.ceil(this.#next / this.#size) - this.#taken,
      finished: finished.length,
      notBegun: this.#draws.length * this.#size - this.#next,
      isFull: this.#next < this.#draws.length * this.#size && this.#next >= (this.#taken + this.#window) * this.#size,
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake.push(resolve)
    })
  }

  #wakeAll(): void {
    const waiting = this.#wake
    this.#wake = []
    for (const wake of waiting) wake()
  }
}

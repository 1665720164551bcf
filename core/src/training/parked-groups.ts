import { isDeepStrictEqual } from 'node:util'
import type { Kept, SpillBuffer } from '../hooks/plugin.ts'
import type { Verdict } from '../vocabulary/outcome.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'

/** The groups of one step: as rolled out, and what the groups chain left of them. */
export interface StepGroups {
  readonly generated: readonly TrajectoryGroup[]
  readonly kept: readonly TrajectoryGroup[]
}

/** Position of a group among those that were generated, and of a member in it. */
type MemberPlace = readonly [group: number, member: number]

/** A member with a generated trajectory, as far as it differs from the generated member. */
interface ChangedMember {
  readonly place: MemberPlace
  /** Null when nothing was changed. */
  readonly change: {
    readonly rest: Omit<JudgedTrajectory, 'trajectory' | 'verdict'>
    /** Undefined when it is the generated one. */
    readonly verdict: Verdict | null | undefined
  } | null
}

/** A group that the chain left: a generated one by its position, or one that the chain made. */
type ParkedGroup =
  | number
  | {
      readonly rest: Omit<TrajectoryGroup, 'members'>
      readonly members: readonly (ChangedMember | Kept<JudgedTrajectory>)[]
    }

/**
 * The groups of one step between their collection and the learner. They lie in the run's buffer, and what the chain left
 * refers to what was generated, so that a rollout is there once and comes back as one object, whether or not it was on disk
 * and whether it or a copy of it was left.
 */
export class ParkedGroups {
  readonly #buffer: SpillBuffer
  readonly #generated: Kept<TrajectoryGroup>[] = []
  readonly #kept: ParkedGroup[] = []
  /** By the trajectory's id. */
  readonly #places = new Map<string, MemberPlace>()

  constructor(buffer: SpillBuffer) {
    this.#buffer = buffer
  }

  /** How many groups the chain has left so far. */
  get keptCount(): number {
    return this.#kept.length
  }

  /** Takes the groups of one round. @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE */
  add({ generated, kept }: StepGroups): void {
    const before = this.#generated.length
    for (const [index, { members }] of generated.entries()) {
      for (const [member, { trajectory }] of members.entries())
        this.#places.set(trajectory.id, [before + index, member])
    }
    const positions = new Map(generated.map((group, index) => [group, before + index]))
    const generatedAt = (group: number) => generated[group - before] ?? this.#generated[group]?.read()
    for (const group of kept) {
      const members = () => group.members.map((member) => this.#parkMember(member, generatedAt))
      this.#kept.push(positions.get(group) ?? { rest: restOf(group), members: members() })
    }
    this.#generated.push(...generated.map((group) => this.#buffer.keep(group)))
  }

  /** A stored rollout of this very step is known by its id, since it may have been on disk meanwhile. */
  #parkMember(
    member: JudgedTrajectory,
    generatedAt: (group: number) => TrajectoryGroup | undefined,
  ): ChangedMember | Kept<JudgedTrajectory> {
    const place = this.#places.get(member.trajectory.id)
    const original = place === undefined ? undefined : generatedAt(place[0])?.members[place[1]]
    const isGenerated = original !== undefined && isEqual(member.trajectory, original.trajectory)
    if (place === undefined || !isGenerated) return this.#buffer.keep(member)
    return { place, change: changeOf(member, original) }
  }

  /** Everything, which then takes no more of the buffer. Can be called once. */
  take(): StepGroups {
    const generated = this.#generated.map((kept) => taken(kept))
    return { generated, kept: this.#kept.map((parked) => unparked(parked, generated)) }
  }
}

function taken<Value>(kept: Kept<Value>): Value {
  const value = kept.read()
  kept.release()
  return value
}

function restOf({ members: _, ...rest }: TrajectoryGroup): Omit<TrajectoryGroup, 'members'> {
  return rest
}

function changeOf(member: JudgedTrajectory, original: JudgedTrajectory): ChangedMember['change'] {
  if (member === original) return null
  const { trajectory: _, verdict, ...rest } = member
  return { rest, verdict: isEqual(verdict, original.verdict) ? undefined : verdict }
}

const isEqual = (one: unknown, other: unknown) => one === other || isDeepStrictEqual(one, other)

function unparked(parked: ParkedGroup, generated: readonly TrajectoryGroup[]): TrajectoryGroup {
  const group = typeof parked === 'number' ? generated[parked] : undefined
  if (group !== undefined) return group
  if (typeof parked === 'number') throw new RangeError(`group ${parked} was never generated`)
  const members = parked.members.map((member) => ('place' in member ? changed(member, generated) : taken(member)))
  return { ...parked.rest, members }
}

function changed({ place, change }: ChangedMember, generated: readonly TrajectoryGroup[]): JudgedTrajectory {
  const [group, member] = place
  const original = generated[group]?.members[member]
  if (original === undefined) throw new RangeError(`member ${member} of group ${group} was never generated`)
  if (change === null) return original
  const { trajectory, verdict } = original
  return { trajectory, verdict: change.verdict === undefined ? verdict : change.verdict, ...change.rest }
}

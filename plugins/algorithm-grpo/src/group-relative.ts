import {
  type Algorithm,
  batchAdvantages,
  groupRewards,
  type Loss,
  policyLoss,
  type TrainingBatch,
  type TrajectoryGroup,
} from 'rlenv'
import type { ResolvedGrpoOptions } from './grpo-options.ts'
import { trainingSamples } from './training-samples.ts'

/** Every action of a member carries the member's advantage within its group. */
export class GroupRelative implements Algorithm {
  readonly name: string
  readonly minGroupSize = 2
  readonly needsLogProbs: boolean
  readonly #options: ResolvedGrpoOptions
  readonly #loss: Loss
  readonly #requests: Pick<TrainingBatch, 'importanceSampling' | 'klInReward'>

  constructor(options: ResolvedGrpoOptions) {
    const { aggregation, drGrpoLength, objective, importanceSamplingLevel, clip, dualClip, kl } = options
    const { baseline, importanceSampling, klInReward } = options
    const length = drGrpoLength === undefined ? {} : { drGrpoLength }
    this.#options = options
    this.#loss = policyLoss({ aggregation, objective, importanceSamplingLevel, clip, dualClip, kl, ...length })
    this.#requests = {
      ...(importanceSampling === null ? {} : { importanceSampling }),
      ...(klInReward.coefficient === 0 ? {} : { klInReward }),
    }
    this.needsLogProbs = Object.keys(this.#requests).length > 0
    this.name = baseline === 'leave-one-out' && this.#loss.name === 'grpo' ? 'rloo' : this.#loss.name
  }

  batch(groups: readonly TrajectoryGroup[]): TrainingBatch {
    const rewards = groups.map(groupRewards)
    const advantages = batchAdvantages(rewards, { ...this.#options, minGroupSize: this.minGroupSize })
    const samples = groups.flatMap(({ members }, group) =>
      members.flatMap((member, index) => {
        const advantage = advantages[group]?.[index] ?? null
        return advantage === null ? [] : trainingSamples(member, advantage, this.#options)
      }),
    )
    const magnitudes = samples.map(({ advantages: own }) => Math.abs(own[0] ?? 0))
    const total = magnitudes.reduce((sum, magnitude) => sum + magnitude, 0)
    return {
      samples,
      loss: this.#loss,
      metrics: {
        ...(samples.length === 0 ? {} : { 'advantage/abs_mean': total / samples.length }),
        'reward/non_finite': groups.reduce((sum, group) => sum + nonFiniteRewards(group), 0),
      },
      ...this.#requests,
    }
  }
}

/** Members that would count if their reward were a number; the judge has already warned of each. */
function nonFiniteRewards({ members }: TrajectoryGroup): number {
  return members.filter(({ reward }) => reward !== null && !Number.isFinite(reward)).length
}

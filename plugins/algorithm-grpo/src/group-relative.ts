import {
  type Algorithm,
  groupAdvantages,
  groupRewards,
  type Loss,
  policyLoss,
  type TrainingBatch,
  type TrainingSample,
  type TrajectoryGroup,
} from 'rlenv'
import type { ResolvedGrpoOptions } from './grpo-options.ts'
import { trainingSamples } from './training-samples.ts'

/** Every action of a member carries the member's advantage within its group. */
export class GroupRelative implements Algorithm {
  readonly name = 'grpo'
  readonly minGroupSize = 2
  readonly #options: ResolvedGrpoOptions
  readonly #loss: Loss

  constructor(options: ResolvedGrpoOptions) {
    const { aggregation, drGrpoLength, clip, dualClip, kl } = options
    this.#options = options
    const length = drGrpoLength === undefined ? {} : { drGrpoLength }
    this.#loss = policyLoss({ name: this.name, aggregation, clip, dualClip, kl, ...length })
  }

  batch(groups: readonly TrajectoryGroup[]): TrainingBatch {
    const samples = groups.flatMap((group) => this.#samplesOf(group))
    const magnitudes = samples.map(({ advantages }) => Math.abs(advantages[0] ?? 0))
    const total = magnitudes.reduce((sum, magnitude) => sum + magnitude, 0)
    return {
      samples,
      loss: this.#loss,
      metrics: samples.length === 0 ? {} : { 'advantage/abs_mean': total / samples.length },
    }
  }

  #samplesOf(group: TrajectoryGroup): TrainingSample[] {
    const { normalize, epsilon } = this.#options
    const rewards = groupRewards(group)
    const advantages = groupAdvantages(rewards, { normalize, epsilon, minGroupSize: this.minGroupSize })
    return group.members.flatMap(({ trajectory }, index) => {
      const advantage = advantages[index] ?? null
      return advantage === null ? [] : trainingSamples(trajectory, advantage, this.#options)
    })
  }
}

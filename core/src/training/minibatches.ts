import type { RandomStream } from '../determinism/random-stream.ts'
import type { TrainingSample } from '../vocabulary/training-sample.ts'

/**
 * Cuts a step's samples into the batches of its optimiser steps: shuffled, whole trajectories, sizes equal up to one.
 * All samples of a trajectory stay together, so that no optimiser step sees half a rollout.
 *
 * @param count - optimiser steps; fewer come back when there are fewer trajectories.
 */
export function minibatches(
  samples: readonly TrainingSample[],
  count: number,
  random: RandomStream,
): (readonly TrainingSample[])[] {
  const byTrajectory = new Map<string, TrainingSample[]>()
  for (const sample of samples) {
    const { id } = sample.trajectory
    const members = byTrajectory.get(id)
    if (members) members.push(sample)
    else byTrajectory.set(id, [sample])
  }
  const shuffled = random.shuffle([...byTrajectory.values()])
  const parts = Math.min(count, shuffled.length)
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * shuffled.length) / parts)
    const to = Math.floor(((part + 1) * shuffled.length) / parts)
    return shuffled.slice(from, to).flat()
  })
}

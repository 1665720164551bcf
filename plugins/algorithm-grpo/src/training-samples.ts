import type { JudgedTrajectory, TrainingSample, Trajectory, Turn } from 'rlenv'

export interface SampleOptions {
  readonly samplesPer: 'trajectory' | 'turn'
  readonly maskTruncated: boolean
}

/** Cuts one member's trajectory into training samples; turns without any recorded action give none. */
export function trainingSamples(member: JudgedTrajectory, advantage: number, options: SampleOptions): TrainingSample[] {
  const { trajectory, replayed = false } = member
  const turns = trajectory.turns.filter(({ span }) => span.actions.length > 0)
  const trained = !(options.maskTruncated && trajectory.stopReason.kind === 'truncated')
  const origin = replayed ? { replayed } : {}
  return parts(turns, options.samplesPer).map((part) => ({
    ...sampleOf(trajectory, part, advantage, trained),
    ...origin,
  }))
}

/** One part per turn, or one per role, so that no sample mixes what two roles sampled. */
function parts(turns: readonly Turn[], samplesPer: 'trajectory' | 'turn'): (readonly Turn[])[] {
  if (samplesPer === 'turn') return turns.map((turn) => [turn])
  const roles = [...new Set(turns.map(({ span }) => span.role))]
  return roles.map((role) => turns.filter(({ span }) => span.role === role))
}

function sampleOf(trajectory: Trajectory, turns: readonly Turn[], advantage: number, trained: boolean): TrainingSample {
  const actions = Int32Array.from(turns.flatMap(({ span }) => [...span.actions]))
  return {
    trajectory,
    turns: turns.map(({ index }) => index),
    role: turns[0]?.span.role ?? 'act',
    policyVersion: Math.min(...turns.map(({ span }) => span.policyVersion)),
    actions,
    mask: new Uint8Array(actions.length).fill(trained ? 1 : 0),
    behaviorLogProbs: Float64Array.from(turns.flatMap(({ span }) => [...span.logProbs])),
    advantages: new Float64Array(actions.length).fill(advantage),
    weights: new Float64Array(actions.length).fill(1),
  }
}

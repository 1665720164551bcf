import { type EnvironmentSplit, splitOf } from '../evaluation/split-environments.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Session } from './rlenv-command.ts'
import { configuredEnvironments } from './synthesized-environments.ts'

export const evaluationSplits = ['held-out', 'train', 'all'] as const
export type EvaluationSplitName = (typeof evaluationSplits)[number]

/** What an evaluation plays. */
export interface EvaluatedEnvironments {
  readonly environments: readonly Environment[]
  /** The split that training makes of the configuration's environments. */
  readonly split: EnvironmentSplit
}

/** The configuration's environments of one side of the split that training makes. */
export async function evaluatedEnvironments(
  session: Session,
  side: EvaluationSplitName,
): Promise<EvaluatedEnvironments> {
  const { config } = session
  const { environments } = await configuredEnvironments(session)
  const split = splitOf(environments, config)
  if (side === 'all') return { environments, split }
  return { environments: side === 'train' ? split.train : split.heldOut, split }
}

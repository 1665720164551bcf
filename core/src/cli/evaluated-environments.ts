import { splitEnvironments } from '../evaluation/split-environments.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Session } from './rlenv-command.ts'
import { synthesizedEnvironments } from './synthesized-environments.ts'

export const evaluationSplits = ['held-out', 'train', 'all'] as const
export type EvaluationSplitName = (typeof evaluationSplits)[number]

/** The configuration's environments of one side of the split that training makes. */
export async function evaluatedEnvironments(
  session: Session,
  split: EvaluationSplitName,
): Promise<readonly Environment[]> {
  const { config } = session
  const { environments } = await synthesizedEnvironments(session)
  if (split === 'all') return environments
  const sides = splitEnvironments(environments, config.evaluation.heldOutShare, config.seed)
  return split === 'train' ? sides.train : sides.heldOut
}

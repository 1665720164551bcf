import type { ResolvedConfig } from '../config/rlenv-config.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
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

/**
 * The configuration's environments of one side of the split that training makes.
 *
 * @throws {RlenvError} RLENV_USAGE when nothing is held out and that side is asked for: success on nothing says nothing.
 */
export async function evaluatedEnvironments(
  session: Session,
  side: EvaluationSplitName,
): Promise<EvaluatedEnvironments> {
  const { config } = session
  const { environments } = await configuredEnvironments(session)
  const split = splitOf(environments, config)
  if (side === 'all') return { environments, split }
  if (side === 'train') return { environments: split.train, split }
  if (split.heldOut.length === 0) throw nothingHeldOut(environments.length, config.evaluation)
  return { environments: split.heldOut, split }
}

function nothingHeldOut(total: number, { heldOutShare }: ResolvedConfig['evaluation']): RlenvError {
  return new RlenvError(
    `none of ${total} environments is held out from training (evaluation.heldOutShare ${heldOutShare})`,
    {
      code: 'RLENV_USAGE',
      fix: 'Evaluate with --split all or --split train, or have two environments or more and a share above 0.',
    },
  )
}

import { resolve } from 'node:path'
import { readConfigFile } from '../config/read-config-file.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { AblationPlan } from './ablation-plan.ts'
import { checkAblation } from './read-ablation-file.ts'
import { swapMatrix } from './swap-matrix.ts'

/** What a command was told; what it was not told comes from the file, else from the defaults. */
export interface AblationRequest {
  /** A file that exports what `defineAblation` returns, relative to `cwd`. */
  readonly file: string | undefined
  /** Words like `groups=filter,replay,none`. */
  readonly swaps: readonly string[]
  readonly seeds: number | undefined
  readonly rollouts: number | undefined
  readonly trainingTasks: number | undefined
  readonly cwd: string
}

const defaults = { seeds: 5, rollouts: null, trainingTasks: 200 } as const

/** @throws {RlenvError} RLENV_USAGE, RLENV_CONFIG_NOT_FOUND, RLENV_CONFIG_FAILED, RLENV_CONFIG_INVALID */
export async function planFrom(request: AblationRequest): Promise<AblationPlan> {
  const { seeds, rollouts, trainingTasks } = request
  const written = request.file === undefined ? fromSwaps(request.swaps) : await fromFile(request)
  return {
    arms: written.arms,
    seeds: seeds ?? written.seeds ?? defaults.seeds,
    rollouts: rollouts ?? written.rollouts ?? defaults.rollouts,
    trainingTasks: trainingTasks ?? written.trainingTasks ?? defaults.trainingTasks,
  }
}

type Written = Pick<AblationPlan, 'arms'> & Partial<Pick<AblationPlan, 'seeds' | 'rollouts' | 'trainingTasks'>>

function fromSwaps(swaps: readonly string[]): Written {
  const arms = swapMatrix(swaps)
  if (swaps.length > 0 && arms.length > 1) return { arms }
  throw usage('there is nothing to compare: one arm only')
}

async function fromFile({ file = '', swaps, cwd }: AblationRequest): Promise<Written> {
  if (swaps.length > 0) throw usage('both a file and --swap say what is compared')
  const path = resolve(cwd, file)
  const { arms, ...rest } = checkAblation(await readConfigFile(path), path)
  return { ...rest, arms: Object.keys(arms).map((name) => ({ name, source: { kind: 'file', file: path } })) }
}

function usage(message: string): RlenvError {
  return new RlenvError(message, {
    code: 'RLENV_USAGE',
    fix: 'Name a file that exports defineAblation({ arms: … }), or values to compare: --swap groups=filter,replay,none.',
  })
}

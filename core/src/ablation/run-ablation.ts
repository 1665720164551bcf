import { type AblationPlan, type Experiment, experimentsOf } from './ablation-plan.ts'
import type { ExperimentResult } from './experiment-result.ts'
import type { ExperimentOrder } from './run-experiment.ts'

/** Runs one experiment; in a process of its own, or right here. */
export type RunOrder = (
  order: ExperimentOrder,
  onStep: (step: number) => void,
  signal: AbortSignal,
) => Promise<ExperimentResult>

export interface AblationProgress {
  readonly arm: string
  readonly replicate: number
  readonly done: number
  readonly total: number
}

export interface AblationRun {
  readonly plan: AblationPlan
  readonly place: Pick<ExperimentOrder, 'file' | 'cwd' | 'set' | 'directory'>
  /** Experiments at a time. */
  readonly parallel: number
  readonly run: RunOrder
  /** Told after every experiment, with everything that is over so far. */
  readonly onResult: (results: readonly ExperimentResult[], progress: AblationProgress) => Promise<void>
  readonly onStep: (experiment: Experiment, step: number) => void
}

/**
 * Runs every arm with every seed, several at a time. The first one that fails ends the others, which save what they have;
 * what is over stays on disk and is not done again.
 *
 * @returns all results, in the order of experiments.
 */
export async function runAblation(ablation: AblationRun, signal: AbortSignal): Promise<readonly ExperimentResult[]> {
  const experiments = experimentsOf(ablation.plan)
  const results: (ExperimentResult | undefined)[] = experiments.map(() => undefined)
  const failed = new AbortController()
  const both = AbortSignal.any([signal, failed.signal])
  let next = 0
  const worker = async () => {
    while (next < experiments.length && !both.aborted) {
      const index = next++
      const experiment = experiments[index] as Experiment
      results[index] = await ablation.run(
        orderOf(ablation, experiment),
        (step) => ablation.onStep(experiment, step),
        both,
      )
      const over = results.filter((result) => result !== undefined)
      const { arm, replicate } = experiment
      await ablation.onResult(over, { arm: arm.name, replicate, done: over.length, total: experiments.length })
    }
  }
  const workers = Array.from({ length: Math.min(ablation.parallel, experiments.length) }, () =>
    worker().catch((cause: unknown) => {
      failed.abort(cause)
      throw cause
    }),
  )
  const settled = await Promise.allSettled(workers)
  signal.throwIfAborted()
  if (failed.signal.aborted) throw failed.signal.reason
  const [rejected] = settled.filter((one) => one.status === 'rejected')
  if (rejected !== undefined) throw rejected.reason
  return results.filter((result) => result !== undefined)
}

function orderOf({ plan, place }: AblationRun, { arm, replicate }: Experiment): ExperimentOrder {
  const { rollouts, trainingTasks } = plan
  return { ...place, arm, replicate, rollouts, trainingTasks }
}

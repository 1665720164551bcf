import type { TrainingBatch } from '../hooks/roles.ts'
import { stopReasonName } from '../vocabulary/outcome.ts'
import { isCounted, type JudgedTrajectory, type TrajectoryGroup } from '../vocabulary/trajectory.ts'
import type { CollectedStep } from './collect-step.ts'
import { deadCause, isFlat } from './dead-steps.ts'
import { groupStatistics } from './loss/group-statistics.ts'
import type { OptimizeReport } from './optimize-step.ts'

/** Numbers of one training step, by the names that the field uses; no wall-clock time among them. */
export type StepMetrics = Readonly<Record<string, number>>

/** Whether any action of the batch has an advantage, so that the step can learn something. */
export function hasGradient(batch: TrainingBatch): boolean {
  return batch.samples.some(carriesAdvantage)
}

/** All numbers of one step. `policyVersion` is the learner's before the step. */
export function stepMetrics(
  collected: CollectedStep,
  batch: TrainingBatch,
  update: OptimizeReport,
  policyVersion: number,
): StepMetrics {
  return {
    ...rewardMetrics(collected),
    ...rolloutMetrics(collected, batch),
    ...endingMetrics(collected.generated.flatMap(({ members }) => members)),
    ...stalenessMetrics(collected.kept, policyVersion),
    ...collected.metrics,
    ...batch.metrics,
    ...update.metrics,
    'optimizer/steps': update.applied,
    'optimizer/skipped': update.skipped,
    'optimizer/refused': update.refused.length,
  }
}

function rewardMetrics({ generated, kept }: CollectedStep): Record<string, number> {
  const counted = generated.flatMap(({ members }) => members.filter(isCounted))
  const passed = counted.filter(({ verdict }) => verdict?.passed === true)
  const live = generated.filter((group) => deadCause(group) === null)
  return {
    ...(counted.length === 0
      ? {}
      : {
          'reward/mean': mean(counted.map(({ reward }) => reward)),
          'reward/std': groupStatistics(counted.map(({ reward }) => reward)).populationDeviation,
          'pass/mean': passed.length / counted.length,
        }),
    'reward/frac_zero_std': share(kept.filter(isFlat).length, kept.length),
    'reward/frac_zero_std_generated': share(generated.filter(isFlat).length, generated.length),
    'group/generated': generated.length,
    'group/kept': kept.length,
    'group/effective_frac': share(live.length, generated.length),
    ...causeCounts(generated),
  }
}

function causeCounts(groups: readonly TrajectoryGroup[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const group of groups) {
    const cause = deadCause(group)
    if (cause !== null) counts[`group/${cause}`] = (counts[`group/${cause}`] ?? 0) + 1
  }
  return counts
}

function rolloutMetrics({ generated, refills, requeued }: CollectedStep, batch: TrainingBatch): Record<string, number> {
  const rollouts = generated.reduce((total, { members }) => total + members.length, 0)
  const live = batch.samples.filter(carriesAdvantage)
  const used = new Set(live.map(({ trajectory }) => trajectory.id)).size
  return {
    'rollouts/generated': rollouts,
    'rollouts/used': used,
    ...(used === 0 ? {} : { 'rollouts/generated_per_used': rollouts / used }),
    'rollouts/refills': refills,
    'rollouts/requeued': requeued,
    'advantage/zero_frac': share(batch.samples.length - live.length, batch.samples.length),
  }
}

function endingMetrics(members: readonly JudgedTrajectory[]): Record<string, number> {
  const counts: Record<string, number> = {}
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  for (const { trajectory, outcome } of members) {
    count(`stop/${stopReasonName(trajectory.stopReason)}`)
    if ('code' in outcome) count(`error/${outcome.code}`)
  }
  const shares = Object.entries(counts).map(([name, number]) => {
    return [name, name.startsWith('stop/') ? share(number, members.length) : number]
  })
  return {
    ...Object.fromEntries(shares),
    'faults/masked': members.filter((member) => !isCounted(member)).length,
    'rollout/turns': mean(members.map(({ trajectory }) => trajectory.turns.length)),
    'rollout/actions': mean(members.map(actionCount)),
  }
}

/** Of what was rolled out for the step; stored members have an age and a limit of their own. */
function stalenessMetrics(kept: readonly TrajectoryGroup[], policyVersion: number): Record<string, number> {
  const fresh = kept.flatMap(({ members }) => members.filter((member) => isCounted(member) && member.replayed !== true))
  const ages = fresh.map(({ trajectory }) => policyVersion - trajectory.policyVersion)
  return { 'staleness/mean': mean(ages), 'staleness/max': ages.reduce((a, b) => Math.max(a, b), 0) }
}

function carriesAdvantage({ advantages, mask }: TrainingBatch['samples'][number]): boolean {
  return advantages.some((advantage, index) => advantage !== 0 && mask[index] === 1)
}

function actionCount({ trajectory }: JudgedTrajectory): number {
  return trajectory.turns.reduce((total, { span }) => total + span.actions.length, 0)
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
const mean = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

import { assertFailureShare, evaluate, evaluationMetrics } from '../evaluation/evaluate.ts'
import { type EvaluationReport, failureShare } from '../evaluation/evaluation-report.ts'
import { learningCurveSvg } from '../evaluation/learning-curve-svg.ts'
import type { RolloutTiming } from '../rollout/collect-request.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { expectedFlatShare } from './flat-share.ts'
import { curveOf, reportHtml } from './training-report.ts'
import type { TrainingRun, TrainingSession } from './training-session.ts'

/** Above this expected share of flat groups the user is told before training starts. */
const flatShareToMention = 0.5

/** The evaluations of one training run on the environments that it never trains on. */
export class HeldOutEvaluations {
  readonly #run: TrainingRun
  readonly #session: TrainingSession
  readonly #reports: EvaluationReport[] = []

  constructor(run: TrainingRun, session: TrainingSession) {
    this.#run = run
    this.#session = session
  }

  /** In the order of steps. */
  get reports(): readonly EvaluationReport[] {
    return this.#reports
  }

  /** Takes over what was evaluated before a resume. */
  async restore(finishedSteps: number): Promise<void> {
    for (let step = 0; step <= finishedSteps; step++) {
      const report = await this.#run.records.readEvaluation(step)
      if (report !== null) this.#reports.push(report)
    }
  }

  /** Evaluates after so many finished steps, if that is due and not done. The last step's always is. */
  async after(finishedSteps: number, isLast: boolean, signal: AbortSignal): Promise<void> {
    if (!this.#isDue(finishedSteps, isLast) || this.#reports.some(({ step }) => step === finishedSteps)) return
    const { config, records, events } = this.#run
    const report = await this.#play(finishedSteps, signal)
    this.#reports.push(report)
    const metrics = evaluationMetrics(report)
    await records.metrics({ step: finishedSteps, ...metrics })
    await records.evaluation(report)
    await records.file('curve.svg', learningCurveSvg(curveOf(this.#reports)))
    await records.file('report.html', reportHtml(config.name, this.#reports))
    events({ type: 'evaluation:end', step: finishedSteps, metrics })
    if (finishedSteps === 0) this.#mentionFlatGroups(report)
    this.#mentionFailures(report)
  }

  /** @throws {RlenvError} RLENV_FAILURE_SHARE when the last evaluation says too little about the policy. */
  assertTrustworthy(): void {
    const last = this.#reports.at(-1)
    if (last) assertFailureShare(last, this.#run.config.evaluation.maxFailureShare)
  }

  /** Rollouts go to their file as they come in, so that their number does not matter to memory. */
  async #play(step: number, signal: AbortSignal): Promise<EvaluationReport> {
    const { config, records, events } = this.#run
    const { engine, split, policy } = this.#session
    const { seed, evaluation: settings } = config
    const failed: JudgedTrajectory[] = []
    const timings: RolloutTiming[] = []
    const rollouts = await records.openRollouts({ step, split: 'eval', set: 'all' })
    const taking = {
      onGroup: (group: TrajectoryGroup) => rollouts.add(group),
      onFailedAttempts: (attempts: readonly JudgedTrajectory[]) => void failed.push(...attempts),
      onTiming: (timing: RolloutTiming) => void timings.push(timing),
    }
    try {
      const report = await evaluate(
        { engine, environments: split.heldOut, settings, seed, policy, step, events, ...taking },
        signal,
      )
      await rollouts.finish()
      await records.failedAttempts(failed)
      await records.timings(timings)
      return report
    } catch (error) {
      await rollouts.discard()
      throw error
    }
  }

  #isDue(finishedSteps: number, isLast: boolean): boolean {
    const { evaluateEverySteps } = this.#run.config.training
    if (!this.#session.split.heldOut.some((environment) => environment.tasks.length > 0)) return false
    if (finishedSteps === 0 || isLast) return true
    return evaluateEverySteps > 0 && finishedSteps % evaluateEverySteps === 0
  }

  #mentionFlatGroups({ sampled }: EvaluationReport): void {
    const { rolloutsPerTask } = this.#run.config.training
    if (sampled.pass1.value === null) return
    const share = expectedFlatShare([sampled.pass1.value], rolloutsPerTask)
    if (share <= flatShareToMention) return
    this.#session.log(
      `at ${percent(sampled.pass1.value)} success and ${rolloutsPerTask} rollouts per task, at least ${percent(share)} of groups ` +
        'will have equal rewards and no gradient; a flat curve may be that alone. Raise training.rolloutsPerTask.',
    )
  }

  #mentionFailures(report: EvaluationReport): void {
    const share = failureShare(report)
    if (share <= this.#run.config.evaluation.maxFailureShare) return
    this.#session.log(`${percent(share)} of the rollouts of the evaluation after step ${report.step} say nothing`)
  }
}

const percent = (share: number) => `${Math.round(share * 100)} %`

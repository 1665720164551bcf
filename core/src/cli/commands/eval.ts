import { relative, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { systemClock } from '../../determinism/clock.ts'
import { assertFailureShare, evaluate } from '../../evaluation/evaluate.ts'
import type { EvaluationReport } from '../../evaluation/evaluation-report.ts'
import { type EvaluationSession, openEvaluation } from '../../evaluation/evaluation-session.ts'
import { breakdownTable, evaluationTable } from '../../evaluation/evaluation-table.ts'
import type { RolloutTiming } from '../../rollout/collect-request.ts'
import type { RunDirectory } from '../../runs/run-directory.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../../vocabulary/trajectory.ts'
import { type EvaluationSplitName, evaluatedEnvironments, evaluationSplits } from '../evaluated-environments.ts'
import { loadPolicy, type PolicyChoice } from '../policy-source.ts'
import { RlenvCommand, type Session } from '../rlenv-command.ts'
import { recorded } from '../run-recording.ts'
import { rolloutHooks } from '../training-hooks.ts'
import { whileWriting } from '../while-writing.ts'

interface EvaluationChoice extends PolicyChoice {
  readonly split: EvaluationSplitName
  readonly breakdown: boolean
}

export default class Eval extends RlenvCommand {
  static override readonly summary = 'Evaluate a policy on environments that it was never trained on.'
  static override readonly description =
    'Prints pass@1 with an interval, pass@k, pass^k, mean reward, faults and stop reasons. Takes the weights of the latest training run of this configuration, unless told otherwise.'
  static override readonly examples = ['<%= config.bin %> eval', '<%= config.bin %> eval -n 50 -r 8 --base']
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    tasks: Flags.integer({ char: 'n', description: 'At most so many tasks.', min: 1 }),
    rollouts: Flags.integer({ char: 'r', description: 'Sampled rollouts per task.', min: 1 }),
    'max-concurrent': Flags.integer({ description: 'Rollouts in flight.', min: 1 }),
    run: Flags.string({ description: 'Folder of the training run whose weights to take.', exclusive: ['base'] }),
    base: Flags.boolean({ description: 'Take the weights as they are before training.' }),
    split: Flags.string({ description: 'Which environments.', options: [...evaluationSplits], default: 'held-out' }),
    breakdown: Flags.boolean({ description: 'Also print success by kind of task and by environment.' }),
  }

  override async run(): Promise<unknown> {
    const { flags } = await this.parse(Eval)
    const overrides = [
      ...(flags.tasks === undefined ? [] : [`evaluation.maxTasks=${flags.tasks}`]),
      ...(flags.rollouts === undefined ? [] : [`evaluation.rolloutsPerTask=${flags.rollouts}`]),
      ...(flags['max-concurrent'] === undefined ? [] : [`rollout.maxConcurrentRollouts=${flags['max-concurrent']}`]),
    ]
    const { run, base, breakdown } = flags
    const choice: EvaluationChoice = { run, base, breakdown, split: flags.split as EvaluationSplitName }
    return this.withSession(flags, overrides, (session) => {
      session.pipeline.require(rolloutHooks)
      return this.#evaluate(session, choice)
    })
  }

  /** What is refused leaves no run behind. */
  async #evaluate(session: Session, choice: EvaluationChoice): Promise<unknown> {
    const { config, pipeline, emit, signal, progress } = session
    const { environments, split } = await evaluatedEnvironments(session, choice.split)
    const opened = await openEvaluation({ pipeline, config, environments, events: emit, clock: systemClock }, signal)
    try {
      const source = await loadPolicy(session, opened, choice, {
        split,
        unseen: choice.split === 'held-out' ? environments : [],
      })
      progress.note(`policy: ${source}`)
      return await recorded(session, { kind: 'eval' }, async (records) => {
        const report = await recordedReport(session, opened, environments, records)
        await records.evaluation(report)
        await records.summary({ policy: source, split: choice.split, report })
        progress.finish()
        this.log(this.#text(report, source, choice, records.directory))
        assertFailureShare(report, config.evaluation.maxFailureShare)
        const directory = resolve(records.directory)
        return { status: 'done', weights: source, split: choice.split, directory, ...report }
      })
    } finally {
      await opened.close()
    }
  }

  #text(report: EvaluationReport, source: string, { split, breakdown }: EvaluationChoice, directory: string): string {
    const parts = [`${source}, on ${split} environments`, evaluationTable(report)]
    if (breakdown) parts.push(breakdownTable(report))
    return [...parts, `run in ${relative(process.cwd(), directory) || '.'}`].join('\n')
  }
}

/** Plays the tasks of these environments, and writes each rollout down as it ends. */
function recordedReport(
  { config, emit, signal }: Session,
  { engine, policy }: EvaluationSession,
  environments: readonly Environment[],
  records: RunDirectory,
): Promise<EvaluationReport> {
  return whileWriting(signal, (write, stop) => {
    const timings: RolloutTiming[] = []
    const onTiming = (timing: RolloutTiming) => void timings.push(timing)
    const onGroup = (group: TrajectoryGroup) => {
      write(records.record(group.members))
      write(records.timings(timings.splice(0)))
    }
    const onFailedAttempts = (attempts: readonly JudgedTrajectory[]) => write(records.failedAttempts(attempts))
    const { evaluation: settings, seed } = config
    const taking = { onGroup, onFailedAttempts, onTiming, events: emit }
    return evaluate({ engine, environments, settings, seed, policy, step: null, ...taking }, stop)
  })
}

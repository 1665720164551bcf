import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { type AblationPlan, experimentsOf } from '../../ablation/ablation-plan.ts'
import { type AblationReport, ablationReport } from '../../ablation/ablation-report.ts'
import { aboutText, measureRows, successRows } from '../../ablation/ablation-table.ts'
import { armLayer } from '../../ablation/arm-layer.ts'
import { experimentProcess } from '../../ablation/experiment-process.ts'
import type { ExperimentResult } from '../../ablation/experiment-result.ts'
import { planFrom } from '../../ablation/plan-from.ts'
import { runAblation } from '../../ablation/run-ablation.ts'
import { armIdentity } from '../../ablation/trained-config.ts'
import { writeReport } from '../../ablation/write-report.ts'
import { contentHash } from '../../determinism/content-hash.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import { loadPipeline } from '../../pipeline/load-pipeline.ts'
import { RlenvCommand, type Session } from '../rlenv-command.ts'
import { configuredEnvironments, synthesisSummary } from '../synthesized-environments.ts'
import { textTable } from '../text-table.ts'
import { trainingHooks } from '../training-hooks.ts'
import { wordArgument } from '../word-argument.ts'

interface AblationPlace {
  readonly file: string
  readonly cwd: string
  readonly set: readonly string[]
  readonly directory: string
}

export default class Ablate extends RlenvCommand {
  static override readonly summary = 'Train variants of a configuration and say what each one is worth.'
  static override readonly description =
    'Every arm is trained with every seed, on the same environments and with the same budget of rollouts. Differences come with intervals that are paired by task and clustered by environment. The same command goes on where it was stopped.'
  static override readonly examples = [
    '<%= config.bin %> ablate --swap groups=filter,replay,none --swap sampler=uniform,adaptive --seeds 5',
    '<%= config.bin %> ablate --swap training.optimizerStepsPerStep=1,4 --rollouts 12800',
    '<%= config.bin %> ablate ablation.ts',
  ]
  static override readonly args = {
    file: wordArgument({ description: 'File that exports what defineAblation returns: named layers to compare.' }),
  }
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    swap: Flags.string({
      multiple: true,
      description: 'Values to compare: of a hook point (plugins by name, "a+b" for both, "none") or of a setting.',
      helpValue: 'key=a,b,…',
    }),
    seeds: Flags.integer({ description: 'Runs of each arm, each with a seed of its own. Default 5.', min: 1 }),
    rollouts: Flags.integer({ description: 'Rollouts that each run may generate, refills included.', min: 1 }),
    'training-tasks': Flags.integer({ description: 'Training tasks evaluated after each run. Default 200.', min: 0 }),
    parallel: Flags.integer({ description: 'Runs at a time. Default: as many as there are cores.', min: 1 }),
    'dry-run': Flags.boolean({ description: 'Say what would be done and do nothing.' }),
  }

  override async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Ablate)
    const cwd = process.cwd()
    const { swap = [], seeds, rollouts, set = [], seed } = flags
    const plan = await planFrom({
      file: args.file,
      swaps: swap,
      seeds,
      rollouts,
      trainingTasks: flags['training-tasks'],
      cwd,
    })
    return this.withSession(flags, [], async (session) => {
      session.pipeline.require(trainingHooks)
      const { config } = session
      const place = {
        file: fileOf(session),
        cwd,
        set: [...(seed === undefined ? [] : [`seed=${seed}`]), ...set],
        directory: join(resolve(config.baseDirectory, config.output.directory), 'ablate', folderName(session, plan)),
      }
      await checkArms(session, plan, place)
      const parallel = flags.parallel ?? availableParallelism()
      session.progress.note(planText(plan, parallel))
      if (flags['dry-run']) return { status: 'dry-run', arms: plan.arms.map(({ name }) => name), ...sizes(plan) }
      return this.#compare(session, plan, place, parallel)
    })
  }

  async #compare(session: Session, plan: AblationPlan, place: AblationPlace, parallel: number): Promise<unknown> {
    const { signal, progress } = session
    // Once for all: every run finds its environments in the artefact store.
    progress.note(synthesisSummary(await configuredEnvironments(session)))
    const report = (results: readonly ExperimentResult[]) => reportOn(session, plan, results)
    const results = await runAblation(
      {
        plan,
        place,
        parallel,
        run: experimentProcess,
        onStep: () => undefined,
        onResult: async (over, { arm, replicate, done, total }) => {
          progress.note(`runs ${done}/${total}  ${arm}, seed ${replicate + 1} of ${plan.seeds}`)
          await writeReport(place.directory, report(over))
        },
      },
      signal,
    )
    const found = report(results)
    await writeReport(place.directory, found)
    progress.finish()
    const shown = relative(process.cwd(), place.directory) || '.'
    const tables = [textTable(successRows(found)), aboutText(found), textTable(measureRows(found))]
    this.log([...tables, `report in ${shown} (report.html, report.md, curves.svg, report.json)`].join('\n\n'))
    return { status: 'done', directory: place.directory, ...found }
  }
}

function reportOn({ config }: Session, plan: AblationPlan, results: readonly ExperimentResult[]): AblationReport {
  return ablationReport(results, {
    name: `${config.name}: ${plan.arms.map(({ name }) => name).join(', ')}`,
    arms: plan.arms.map(({ name }) => name),
    planned: experimentsOf(plan).length,
    confidence: config.evaluation.confidence,
    seed: config.seed,
  })
}

/** Every arm must load, and train something of its own, before the first one is trained. */
async function checkArms({ pipeline, signal }: Session, plan: AblationPlan, place: AblationPlace): Promise<void> {
  const seen = new Map<string, string>()
  for (const arm of plan.arms) {
    const layer = await armLayer(arm, pipeline)
    const set = [...layer.set, ...place.set]
    const loaded = await loadPipeline({ ...place, command: 'ablate', overlay: layer.overlay, set, signal })
    loaded.pipeline.require(trainingHooks)
    const identity = armIdentity(loaded, plan.rollouts)
    const twin = seen.get(identity)
    if (twin !== undefined) throw sameArms(twin, arm.name, plan.rollouts)
    seen.set(identity, arm.name)
  }
}

function sameArms(one: string, other: string, rollouts: number | null): RlenvError {
  const why = rollouts === null ? '' : `; with --rollouts ${rollouts} the budget decides how many steps there are`
  return new RlenvError(`"${one}" and "${other}" would train the same${why}`, {
    code: 'RLENV_USAGE',
    fix: 'Compare settings that an ablation leaves to its arms; it decides the mode of rollouts, the checkpoints and the budget itself.',
  })
}

function fileOf({ config }: Session): string {
  if (config.file !== null) return config.file
  throw new RlenvError(
    'an ablation needs a configuration in a file, because its runs load it in processes of their own',
    {
      code: 'RLENV_USAGE',
      fix: 'Name the file with -c.',
    },
  )
}

/** Another plan or another configuration has another folder; the same ones go on in the same. */
function folderName({ config, describe }: Session, { arms, rollouts, trainingTasks }: AblationPlan): string {
  const { config: settings, plugins } = describe()
  return `${config.name}--${contentHash({ settings, plugins, arms, rollouts, trainingTasks }).slice(0, 8)}`
}

function sizes(plan: AblationPlan) {
  const runs = experimentsOf(plan).length
  return { runs, rollouts: plan.rollouts === null ? null : plan.rollouts * runs }
}

function planText(plan: AblationPlan, parallel: number): string {
  const { runs, rollouts } = sizes(plan)
  const budget = plan.rollouts === null ? '' : ` of ${plan.rollouts} rollouts (${rollouts} in all)`
  return `${plan.arms.length} arms × ${plan.seeds} seeds = ${runs} runs${budget}, ${parallel} at a time; the first arm, "${plan.arms[0]?.name}", is what the others are compared with`
}

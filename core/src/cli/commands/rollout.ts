import { relative, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { systemClock } from '../../determinism/clock.ts'
import { contentHash } from '../../determinism/content-hash.ts'
import { didYouMean } from '../../errors/near-names.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import { openEvaluation } from '../../evaluation/evaluation-session.ts'
import type { Draw } from '../../hooks/roles.ts'
import type { RolloutTiming } from '../../rollout/collect-request.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Task } from '../../vocabulary/task.ts'
import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import { evaluatedEnvironments } from '../evaluated-environments.ts'
import { loadPolicy } from '../policy-source.ts'
import { RlenvCommand, type Session } from '../rlenv-command.ts'
import { recorded } from '../run-recording.ts'
import { rolloutHooks } from '../training-hooks.ts'
import { transcriptText } from '../transcript.ts'
import { wordArgument } from '../word-argument.ts'

interface RolloutChoice {
  readonly task: string | undefined
  readonly tasks: number
  readonly rollouts: number
  readonly run: string | undefined
  readonly base: boolean
}

export default class Rollout extends RlenvCommand {
  static override readonly summary = 'Play tasks and print what the policy did, turn by turn.'
  static override readonly examples = [
    '<%= config.bin %> rollout -n 3',
    '<%= config.bin %> rollout public-library/t001 -r 4 --base',
  ]
  static override readonly args = {
    task: wordArgument({ description: 'Id of a task. Default: the first ones of the run.' }),
  }
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    tasks: Flags.integer({ char: 'n', description: 'Tasks to play.', default: 1, min: 1 }),
    rollouts: Flags.integer({ char: 'r', description: 'Rollouts per task.', default: 1, min: 1 }),
    run: Flags.string({ description: 'Folder of the training run whose weights to take.', exclusive: ['base'] }),
    base: Flags.boolean({ description: 'Take the weights as they are before training.' }),
    'max-concurrent': Flags.integer({ description: 'Rollouts in flight.', min: 1 }),
  }

  override async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Rollout)
    const limit = flags['max-concurrent']
    const overrides = limit === undefined ? [] : [`rollout.maxConcurrentRollouts=${limit}`]
    const { tasks, rollouts, run, base } = flags
    return this.withSession(flags, overrides, async (session) => {
      session.pipeline.require(rolloutHooks)
      return this.#play(session, { task: args.task, tasks, rollouts, run, base })
    })
  }

  async #play(session: Session, choice: RolloutChoice): Promise<unknown> {
    const { config, pipeline, emit, signal, progress } = session
    const { environments, split } = await evaluatedEnvironments(session, 'all')
    const draws = chosenTasks(environments, choice).map((task, ordinal) => drawOf(task, ordinal, config.seed))
    emit({ type: 'evaluation:start', step: null, rollouts: draws.length * choice.rollouts })
    return recorded(session, { kind: 'rollout' }, async (records) => {
      const opened = await openEvaluation({ pipeline, config, environments, events: emit, clock: systemClock }, signal)
      const played: JudgedTrajectory[] = []
      try {
        progress.note(`policy: ${await loadPolicy(session, opened, choice, { split, unseen: [] })}`)
        const timings: RolloutTiming[] = []
        const onTiming = (timing: RolloutTiming) => void timings.push(timing)
        const request = { draws, rolloutsPerDraw: choice.rollouts, purpose: 'rollout', onTiming } as const
        for await (const { members } of opened.engine.collect(request, signal)) {
          await records.record(members)
          await records.timings(timings.splice(0))
          played.push(...members)
        }
      } finally {
        await opened.close()
      }
      progress.finish()
      this.log(played.map(transcriptText).join('\n\n'))
      this.log(`\nrun in ${relative(process.cwd(), records.directory) || '.'}`)
      return { status: 'done', directory: resolve(records.directory), rollouts: played }
    })
  }
}

function chosenTasks(environments: readonly Environment[], { task: wanted, tasks }: RolloutChoice): readonly Task[] {
  const all = environments.flatMap((environment) => environment.tasks)
  if (wanted === undefined) return all.slice(0, tasks)
  const found = all.find(({ id }) => id === wanted)
  if (found) return [found]
  const near = didYouMean(
    wanted,
    all.map(({ id }) => id),
  )
  throw new RlenvError(
    `there is no task "${wanted}" in the ${environments.length} environments of this configuration`,
    {
      code: 'RLENV_USAGE',
      fix: near ?? 'Run "rlenv inspect <environment>" to list tasks.',
    },
  )
}

/** A draw outside training; its world's seed depends on the run's seed and the task alone. */
function drawOf({ id: taskId, environmentId }: Task, ordinal: number, seed: number): Draw {
  const worldSeed = Number.parseInt(contentHash(['rollout', seed, taskId]).slice(0, 8), 16)
  return { id: `r${ordinal}`, ordinal, taskId, environmentId, seed: worldSeed, policyVersion: 0 }
}

import { Flags } from '@oclif/core'
import { describeSizes } from '../../config/describe-sizes.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import { forceDescription, requireFolder } from '../forced-resume.ts'
import { RlenvCommand, type Session } from '../rlenv-command.ts'
import { trainInRun } from '../training-command.ts'
import { trainingHooks } from '../training-hooks.ts'
import { wordArgument } from '../word-argument.ts'

export default class Train extends RlenvCommand {
  static override readonly summary =
    'Synthesise environments, train on most of them, and evaluate before and after on the rest.'
  static override readonly description =
    'Environments that were synthesised before come out of the artefact store. An interrupted run goes on with --resume.'
  static override readonly examples = [
    '<%= config.bin %> train',
    '<%= config.bin %> train --set training.steps=20 --max-concurrent 32',
    '<%= config.bin %> train --resume',
    '<%= config.bin %> train --resume --steps 200',
  ]
  static override readonly args = {
    run: wordArgument({
      description:
        'Folder of the run to resume. Default: the latest of this configuration and its name, an unfinished one first.',
    }),
  }
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    steps: Flags.integer({ description: 'Training steps.', min: 1 }),
    'max-concurrent': Flags.integer({ description: 'Rollouts in flight.', min: 1 }),
    resume: Flags.boolean({ description: 'Go on with an earlier run instead of starting a new one.' }),
    force: Flags.boolean({ description: forceDescription, dependsOn: ['resume'] }),
    'dry-run': Flags.boolean({ description: 'Say what would be done and do nothing.' }),
  }

  override async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Train)
    if (args.run !== undefined && !flags.resume) throw strayWord(args.run)
    if (flags.force) requireFolder(args.run, 'train --resume')
    const overrides = [
      ...(flags.steps === undefined ? [] : [`training.steps=${flags.steps}`]),
      ...(flags['max-concurrent'] === undefined ? [] : [`rollout.maxConcurrentRollouts=${flags['max-concurrent']}`]),
    ]
    return this.withSession(flags, overrides, async (session) => {
      session.pipeline.require(trainingHooks)
      const sizes = describeSizes(session.config)
      for (const line of [sizes.equation, ...sizes.warnings]) session.progress.note(line)
      if (flags['dry-run']) return this.#announce(session)
      const { text, document } = await trainInRun(session, {
        resume: flags.resume ? (args.run ?? true) : false,
        force: flags.force,
      })
      this.log(text)
      return document
    })
  }

  #announce({ config }: Session): unknown {
    const { training, synthesis, evaluation } = config
    const rollouts = training.steps * training.tasksPerStep * training.rolloutsPerTask
    this.log(
      `would synthesise ${synthesis.environments} environments, hold out ${evaluation.heldOutShare * 100} % of them, ` +
        `and train ${training.steps} steps of ${training.tasksPerStep * training.rolloutsPerTask} rollouts`,
    )
    return { status: 'dry-run', steps: training.steps, rollouts, environments: synthesis.environments }
  }
}

function strayWord(word: string): RlenvError {
  return new RlenvError(`"${word}" names a run, but --resume is not given`, {
    code: 'RLENV_USAGE',
    fix: `Run "rlenv train --resume ${word}" to go on with it.`,
  })
}

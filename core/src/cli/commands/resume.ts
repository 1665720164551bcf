import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { loadConfig } from '../../config/resolve-config.ts'
import { corePlugins } from '../../pipeline/core-plugins.ts'
import { forceDescription, requireFolder } from '../forced-resume.ts'
import { type ConfigFlags, RlenvCommand } from '../rlenv-command.ts'
import { trainInRun } from '../training-command.ts'
import { trainingHooks } from '../training-hooks.ts'
import { latestUnfinishedRun, type RunOrigin, runOrigin } from '../unfinished-run.ts'
import { wordArgument } from '../word-argument.ts'

export default class Resume extends RlenvCommand {
  static override readonly summary = 'Go on with a training run that was interrupted or killed.'
  static override readonly description =
    'Loads the configuration as the last start of the run did, with its file and its --set. Ends with the numbers that an uninterrupted run would have had. What has changed since then is refused with a list.'
  static override readonly examples = [
    '<%= config.bin %> resume',
    '<%= config.bin %> resume outputs/train/first-run--learner-embedded--1a2b3c4d',
  ]
  static override readonly args = {
    run: wordArgument({
      description:
        "Folder of the run. Default: the one of this configuration's name begun last that has not ended well.",
    }),
  }
  static override readonly flags = {
    config: RlenvCommand.configFlags.config,
    set: RlenvCommand.configFlags.set,
    force: Flags.boolean({ description: forceDescription }),
  }

  override async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Resume)
    if (flags.force) requireFolder(args.run, 'resume')
    const origin = args.run === undefined ? await this.#latest(flags) : await runOrigin(args.run)
    const { config = origin.file ?? undefined, set = [], force } = flags
    return this.withSession({ config, set }, origin.set, async (session) => {
      session.pipeline.require(trainingHooks)
      const { text, document } = await trainInRun(session, { resume: origin.directory, force })
      this.log(text)
      return document
    })
  }

  /** Below the folder that the configuration at hand writes its runs to. */
  async #latest({ config, set = [] }: ConfigFlags): Promise<RunOrigin> {
    const file = config === undefined ? {} : { file: config }
    const loaded = await loadConfig({ command: 'resume', core: corePlugins(), set, ...file })
    const root = resolve(loaded.config.baseDirectory, loaded.config.output.directory)
    const { name } = loaded.config
    return latestUnfinishedRun({
      root,
      name,
      file: config === undefined ? undefined : (loaded.config.file ?? undefined),
    })
  }
}

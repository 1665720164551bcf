import { relative, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import type { SynthesisReport } from '../../synthesis/synthesis-report.ts'
import { writeBundles } from '../environment-folder.ts'
import { RlenvCommand, type Session } from '../rlenv-command.ts'
import { synthesisSummary, synthesizedEnvironments } from '../synthesized-environments.ts'
import { synthesisHooks } from '../training-hooks.ts'

export default class Synth extends RlenvCommand {
  static override readonly summary = 'Synthesise environments, check each at the gate, and write them as bundles.'
  static override readonly description =
    'What was synthesised before with the same plugins, options and seed comes out of the artefact store.'
  static override readonly examples = [
    '<%= config.bin %> synth',
    '<%= config.bin %> synth --environments 10 --out envs',
  ]
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    environments: Flags.integer({ char: 'n', description: 'Environments wanted.', min: 1 }),
    out: Flags.string({ description: 'Folder for the bundles.', default: 'environments' }),
    'dry-run': Flags.boolean({ description: 'Say what would be done and do nothing.' }),
  }

  override async run(): Promise<unknown> {
    const { flags } = await this.parse(Synth)
    const wanted = flags.environments === undefined ? [] : [`synthesis.environments=${flags.environments}`]
    return this.withSession(flags, wanted, async (session) => {
      const folder = resolve(session.config.baseDirectory, flags.out)
      if (flags['dry-run']) return this.#announce(session, folder)
      const report = await synthesizedEnvironments(session)
      await writeBundles(report.environments, folder)
      this.log(`${synthesisSummary(report)}\nbundles in ${relative(process.cwd(), folder) || '.'}`)
      return document(report, folder)
    })
  }

  #announce({ pipeline, config }: Session, folder: string): unknown {
    pipeline.require(synthesisHooks)
    const { environments, tasksPerEnvironment, artifactDirectory } = config.synthesis
    this.log(`would synthesise ${environments} environments of ${tasksPerEnvironment} tasks into ${folder}`)
    return { status: 'dry-run', environments, tasksPerEnvironment, artifactDirectory, directory: folder }
  }
}

function document(report: SynthesisReport, directory: string) {
  const { environments, ...rest } = report
  const made = environments.map(({ id, tools, tasks }) => ({ id, tools: tools.length, tasks: tasks.length }))
  return { status: 'done', directory, ...rest, environments: made }
}

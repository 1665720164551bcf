import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { askForProject } from '../init/ask-for-project.ts'
import { type ProjectAnswers, presetNames, projectFiles } from '../init/project-files.ts'
import { writeProject } from '../init/write-project.ts'
import { RlenvCommand } from '../rlenv-command.ts'
import { wordArgument } from '../word-argument.ts'

export default class Init extends RlenvCommand {
  static override readonly summary = 'Write a configuration to start from.'
  static override readonly description =
    'Asks on a terminal what no flag says; without a terminal, or with --yes, takes defaults.'
  static override readonly examples = ['<%= config.bin %> init', '<%= config.bin %> init my-run --preset awm --yes']
  static override readonly args = { directory: wordArgument({ description: 'Folder to write into.', default: '.' }) }
  static override readonly flags = {
    preset: Flags.string({ description: 'Pipeline to start from.', options: [...presetNames] }),
    name: Flags.string({ description: 'Name of the run. Default: the folder’s.' }),
    environments: Flags.integer({ char: 'n', description: 'Environments to synthesise.', min: 2 }),
    seed: Flags.integer({ description: 'Number that every random stream descends from.' }),
    yes: Flags.boolean({ char: 'y', description: 'Ask nothing.' }),
    force: Flags.boolean({ description: 'Overwrite an existing rlenv.config.ts.' }),
  }

  override async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Init)
    const directory = resolve(args.directory)
    const { preset, name, environments, seed } = flags
    const given = { preset, name, environments, seed } as Partial<ProjectAnswers>
    const silent = flags.yes || this.jsonEnabled() || process.stdin.isTTY !== true
    const answers = await askForProject(
      directory,
      given,
      silent ? null : { input: process.stdin, output: process.stderr },
    )
    const { written, kept } = await writeProject(directory, projectFiles(answers, this.config.version), flags.force)
    this.log(
      [
        ...written.map((file) => `wrote ${file}`),
        ...kept.map((file) => `kept ${file}`),
        'next: npx rlenv synth, npx rlenv inspect, npx rlenv train, npx rlenv eval (after npm install, where packages are missing)',
      ].join('\n'),
    )
    return { status: 'done', directory, ...answers, written, kept }
  }
}

import { relative, resolve } from 'node:path'
import { loadConfig } from '../../config/resolve-config.ts'
import { corePlugins } from '../../pipeline/core-plugins.ts'
import { type ListedRun, listedRuns } from '../list/listed-run.ts'
import { RlenvCommand } from '../rlenv-command.ts'
import { textTable } from '../text-table.ts'

export default class List extends RlenvCommand {
  static override readonly summary = 'List the runs of this project, how far each came and how it ended.'
  static override readonly examples = ['<%= config.bin %> list', '<%= config.bin %> list --json']
  static override readonly flags = {
    config: RlenvCommand.configFlags.config,
    set: RlenvCommand.configFlags.set,
  }

  override async run(): Promise<readonly ListedRun[]> {
    const { flags } = await this.parse(List)
    const file = flags.config === undefined ? {} : { file: flags.config }
    const { config } = await loadConfig({ command: 'list', core: corePlugins(), set: flags.set ?? [], ...file })
    const root = resolve(config.baseDirectory, config.output.directory)
    const runs = await listedRuns(root)
    this.log(runs.length === 0 ? `no runs below ${root}` : runsText(runs))
    return runs
  }
}

function runsText(runs: readonly ListedRun[]): string {
  const rows = runs.map(({ directory, startedAt, starts, status, seed, steps, success }) => [
    relative(process.cwd(), directory),
    startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'),
    String(starts),
    status,
    seed === null ? '' : String(seed),
    steps === null ? '' : `${steps.finished}/${steps.wanted}`,
    success === null ? '' : `${(100 * success).toFixed(1)} %`,
  ])
  return textTable([['run', 'last start', 'starts', 'status', 'seed', 'steps saved', 'held-out success'], ...rows])
}

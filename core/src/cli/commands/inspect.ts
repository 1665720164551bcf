import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { didYouMean } from '../../errors/near-names.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Task } from '../../vocabulary/task.ts'
import { listBundles, readEnvironment } from '../environment-folder.ts'
import { goldText, inspectGold } from '../inspect/gold.ts'
import { overviewText, taskText, toolText } from '../inspect/parts.ts'
import { inspectTable, rowsText } from '../inspect/table.ts'
import { RlenvCommand } from '../rlenv-command.ts'
import { textTable } from '../text-table.ts'
import { wordArgument } from '../word-argument.ts'

export default class Inspect extends RlenvCommand {
  static override readonly summary = "Look into environments: tools, tables, tasks, and one task's gold run."
  static override readonly examples = [
    '<%= config.bin %> inspect',
    '<%= config.bin %> inspect public-library',
    '<%= config.bin %> inspect public-library --task t001',
  ]
  static override readonly args = {
    environment: wordArgument({ description: 'Id of an environment. Default: list all.' }),
  }
  static override readonly flags = {
    from: Flags.string({ description: 'Folder of bundles.', default: 'environments' }),
    tool: Flags.string({ description: 'One tool in full.', exclusive: ['table', 'task'] }),
    table: Flags.string({ description: 'Rows of one table.', exclusive: ['tool', 'task'] }),
    task: Flags.string({ description: 'One task with its gold run, step by step.' }),
    limit: Flags.integer({ description: 'Most rows of a table.', default: 20, min: 1 }),
  }

  override async run(): Promise<unknown> {
    const { args, flags } = await this.parse(Inspect)
    const folder = resolve(flags.from)
    if (args.environment === undefined) return this.#list(folder)
    const environment = await readEnvironment(folder, args.environment)
    if (flags.tool !== undefined) return this.#show(one(environment.tools, 'name', flags.tool), toolText)
    if (flags.table !== undefined) return this.#show(inspectTable(environment, flags.table, flags.limit), rowsText)
    if (flags.task !== undefined) {
      const task = taskNamed(environment, flags.task)
      this.log(taskText(task, environment.verifiers[task.id]))
      return this.#show(await inspectGold(environment, task), goldText)
    }
    return this.#show(environment, overviewText)
  }

  async #list(folder: string): Promise<unknown> {
    const environments = await Promise.all((await listBundles(folder)).map((id) => readEnvironment(folder, id)))
    if (environments.length === 0) {
      throw new RlenvError(`${folder} holds no environments`, {
        code: 'RLENV_USAGE',
        fix: 'Run rlenv synth first, or name another folder with --from.',
      })
    }
    const rows = environments.map(({ id, scenario, tools, tasks }) => {
      return [id, scenario.name, String(tools.length), String(tasks.length)]
    })
    this.log(textTable([['environment', 'scenario', 'tools', 'tasks'], ...rows]))
    return environments.map(({ id, scenario, tools, tasks }) => {
      return { id, name: scenario.name, tools: tools.length, tasks: tasks.length }
    })
  }

  #show<Part>(part: Part, text: (part: Part) => string): Part {
    this.log(text(part))
    return part
  }
}

/** A task by its id, or by the part of it after the environment's. */
function taskNamed(environment: Environment, name: string): Task {
  const full = name.includes('/') ? name : `${environment.id}/${name}`
  return one(environment.tasks, 'id', full)
}

function one<Key extends string, Item extends Readonly<Record<Key, string>>>(
  items: readonly Item[],
  key: Key,
  wanted: string,
): Item {
  const found = items.find((item) => item[key] === wanted)
  if (found) return found
  const known = items.map((item) => item[key])
  throw new RlenvError(`there is no "${wanted}" here`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(wanted, known) ?? `Choose one of ${known.join(', ')}.`,
  })
}

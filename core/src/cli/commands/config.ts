import { Flags } from '@oclif/core'
import type { ResolvedConfigDocument } from '../../config/config-document.ts'
import { describeSizes } from '../../config/describe-sizes.ts'
import { RlenvCommand } from '../rlenv-command.ts'
import { textTable } from '../text-table.ts'

export default class Config extends RlenvCommand {
  static override readonly summary =
    'Show every setting with the layer that set it, or which plugin fills which hook point.'
  static override readonly examples = ['<%= config.bin %> config', '<%= config.bin %> config --hooks']
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    hooks: Flags.boolean({ description: 'Show hook points, who fills them, and plugin options.' }),
  }

  override async run(): Promise<ResolvedConfigDocument> {
    const { flags } = await this.parse(Config)
    return this.withSession(flags, [], async ({ describe, config }) => {
      const document = describe()
      this.log(flags.hooks ? hooksText(document) : settingsText(document))
      const sizes = describeSizes(config)
      if (!flags.hooks) this.log(['', sizes.equation, ...sizes.notes, ...sizes.warnings].join('\n'))
      return document
    })
  }
}

function settingsText({ config, origins, layers }: ResolvedConfigDocument): string {
  const rows = Object.entries(origins).map(([path, layer]) => [path, JSON.stringify(valueAt(config, path)), layer.name])
  const sources = layers.map(({ index, name }) => `${index} ${name}`).join(' < ')
  return `${textTable([['setting', 'value', 'set by'], ...rows])}\n\nlayers, weakest first: ${sources}`
}

function valueAt(config: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), config) ?? null
}

function hooksText({ hooks, plugins }: ResolvedConfigDocument): string {
  const rows = hooks.map(({ hook, kind, plugins: filledBy, replaced }) => [
    hook,
    kind,
    filledBy.length === 0 ? '(empty)' : filledBy.map(({ name, layer }) => `${name} [${layer.name}]`).join(' → '),
    replaced.map(({ name, layer }) => `${name} [${layer.name}]`).join(', '),
  ])
  const options = plugins.map(({ name, version, options: chosen }) => [`${name}@${version}`, optionsText(chosen)])
  const head = ['hook point', 'kind', 'filled by [layer]', 'replaced']
  return `${textTable([head, ...rows])}\n\n${textTable([['plugin', 'options'], ...options])}`
}

/** On one line; an object of functions that has a name is shown by it. */
function optionsText(options: unknown): string {
  return JSON.stringify(options, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('name' in value)) return value
    const { name, ...rest } = value
    const isCode = Object.values(rest).every((part) => typeof part === 'string' && part.startsWith('[function '))
    return isCode && Object.keys(rest).length > 0 ? name : value
  })
}

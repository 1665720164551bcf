import { isRlenvError, messageOf, RlenvError } from './rlenv-error.ts'

/** A plugin and the hook point it was called on. */
export interface CallSite {
  readonly plugin: string
  readonly hook: string
}

/** What a plugin threw, with plugin and hook. An error that already has a code keeps it. */
export function attributed(thrown: unknown, site: CallSite): RlenvError {
  const { plugin, hook } = site
  if (!isRlenvError(thrown)) {
    return new RlenvError(`${plugin} failed in ${hook}: ${messageOf(thrown)}`, {
      code: 'RLENV_PLUGIN_FAILED',
      plugin,
      hook,
      cause: thrown,
      fix: `Repair what the cause names, or leave the plugin out with "without: ['${plugin}']".`,
    })
  }
  if (thrown.plugin !== undefined && thrown.hook !== undefined) return thrown
  const complete = new RlenvError(thrown.message, {
    code: thrown.code,
    ...(thrown.fix === undefined ? {} : { fix: thrown.fix }),
    plugin: thrown.plugin ?? plugin,
    hook: thrown.hook ?? hook,
    cause: thrown.cause,
  })
  if (thrown.stack !== undefined) complete.stack = thrown.stack
  return complete
}

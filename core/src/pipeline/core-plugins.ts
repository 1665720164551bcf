import { rlenvVersion } from '../artifacts/rlenv-version.ts'
import { ExecutableWorld } from '../environment/executable-world.ts'
import type { Plugin } from '../hooks/plugin.ts'
import { definePlugin, type PluginFactory } from '../plugin/define-plugin.ts'
import { reactRollout } from '../rollout/react-rollout.ts'

/** Opens environments as SQLite databases in this process. Fills the slot `world`; the core's own choice for it. */
export const executableWorld: PluginFactory<Record<never, never>> = definePlugin({
  name: 'rlenv/executable-world',
  version: rlenvVersion,
  setup: () => ({ world: () => new ExecutableWorld() }),
})

/** The lowest layer of every configuration: what fills a slot when nobody else does. */
export function corePlugins(): readonly Plugin[] {
  return [executableWorld(), reactRollout()]
}

import type { Plugin } from '../hooks/plugin.ts'
import { definePlugin } from '../plugin/define-plugin.ts'

const factory = definePlugin({
  name: 'rlenv/keep-all-groups',
  version: '1.0.0',
  setup: () => ({ groups: (groups) => groups }),
})

/** Trains on every group that was rolled out, flat or not; fills the hook point `groups` of runs without a filter. */
export function keepAllGroups(): Plugin {
  return factory()
}

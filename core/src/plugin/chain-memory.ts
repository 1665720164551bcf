import { RlenvError } from '../errors/rlenv-error.ts'
import type { HandlerMemory } from '../hooks/pipeline-hooks.ts'
import type { Json } from '../vocabulary/json.ts'
import type { ReadyPlugin } from './set-up-plugins.ts'

/** The memories of all handlers of `groups` as one, by plugin name. */
export function chainMemory(plugins: readonly ReadyPlugin[]): HandlerMemory {
  const memories = new Map(plugins.flatMap((ready) => memoryOf(ready)))
  return {
    state: () => Object.fromEntries([...memories].map(([name, memory]) => [name, memory.state()])),
    restore: (state) => {
      const saved = savedMemories(state)
      const stranger = Object.keys(saved ?? {}).find((name) => !memories.has(name))
      if (stranger !== undefined) throw invalid(`it holds what ${stranger} remembered, which is not there`)
      for (const [name, memory] of memories) memory.restore(saved?.[name] ?? null)
    },
  }
}

function memoryOf({ plugin, hooks }: ReadyPlugin): [string, HandlerMemory][] {
  const tap = hooks.groups
  return typeof tap === 'object' && tap.memory !== undefined ? [[plugin.name, tap.memory]] : []
}

function savedMemories(state: Json): Readonly<Record<string, Json>> | null {
  if (state === null) return null
  if (typeof state !== 'object' || Array.isArray(state)) throw invalid('it is no object')
  return state as Readonly<Record<string, Json>>
}

function invalid(why: string): RlenvError {
  return new RlenvError(`what the groups chain remembered cannot be restored: ${why}`, {
    code: 'RLENV_CHECKPOINT_INVALID',
    hook: 'groups',
    fix: 'Resume with the plugins that the run was started with.',
  })
}

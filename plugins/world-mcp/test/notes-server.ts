import { fileURLToPath } from 'node:url'
import type { McpEnvironmentOptions, McpTask, StdioServer } from '@rlenv/world-mcp'
import { mcpWorld } from '@rlenv/world-mcp'
import { assemblePipeline, type CallOutcome, type Environment, type Json, type World, type WorldInstance } from 'rlenv'
import { testSlotContext } from 'rlenv/testing'
import { vi } from 'vitest'

// Each test starts processes, which takes as long as the machine is busy with other things.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const script = fileURLToPath(new URL('fixtures/notes-server.mjs', import.meta.url))

/** The fixture's command line with words that make it faulty. */
export function notesServer(modes: readonly string[] = [], more: Partial<StdioServer> = {}): StdioServer {
  return { command: process.execPath, args: [script, ...modes], ...more }
}

export const addNote: McpTask = {
  id: 'add',
  instruction: 'Write down that milk is needed.',
  calls: [{ tool: 'add_note', arguments: { title: 'milk' } }],
}

export function notesOptions(
  server: McpEnvironmentOptions['server'] = notesServer(),
  tasks: readonly McpTask[] = [addNote],
): McpEnvironmentOptions {
  return { id: 'notes', server, tasks }
}

export const never: AbortSignal = new AbortController().signal

type Settings = Omit<Parameters<typeof mcpWorld>[0], 'environments'>

/** Opens the world of `mcpWorld()` as a run does; the lines that it logs go into `log`. */
export async function openWorld(
  environments: readonly McpEnvironmentOptions[],
  settings: Settings = {},
  log: string[] = [],
): Promise<World> {
  const plugins = [mcpWorld({ environments, prefetch: 0, ...settings })]
  const pipeline = await assemblePipeline([{ name: 'test', plugins }], { log: (_plugin, line) => void log.push(line) })
  return pipeline.slot('world', testSlotContext())
}

/** A place holder for an environment that a world knows by its id. */
export function environmentNamed(id: string): Environment {
  return { id } as Environment
}

export async function openNotes(world: World, signal: AbortSignal = never): Promise<WorldInstance> {
  return world.open({ environment: environmentNamed('notes'), seed: 0 }, signal)
}

/** Opens one instance of one server, uses it, and closes everything. */
export async function withNotes<T>(
  server: StdioServer,
  use: (instance: WorldInstance) => Promise<T>,
  settings: Settings = {},
  log: string[] = [],
): Promise<T> {
  const world = await openWorld([notesOptions(server)], settings, log)
  try {
    const instance = await openNotes(world)
    const used = await use(instance)
    await instance.close()
    return used
  } finally {
    await world.close()
  }
}

export async function call(instance: WorldInstance, tool: string, args: Json = {}, signal: AbortSignal = never) {
  const outcome: CallOutcome = await instance.call(tool, args, signal)
  return outcome.result
}

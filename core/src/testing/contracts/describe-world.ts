import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { CallOutcome, World, WorldInstance } from '../../hooks/world.ts'
import { type Environment, reservedToolNames } from '../../vocabulary/environment.ts'
import type { ToolCall } from '../../vocabulary/task.ts'
import { testSlotContext } from '../test-context.ts'
import { tinyEnvironment } from '../tiny-environment.ts'
import { pipelineOf } from './pipeline-of.ts'

const { signal } = new AbortController()

async function withWorld<T>(plugin: Plugin, use: (world: World) => Promise<T>): Promise<T> {
  const pipeline = await pipelineOf(plugin)
  const world = await pipeline.slot('world', testSlotContext())
  try {
    return await use(world)
  } finally {
    await world.close()
  }
}

async function play(instance: WorldInstance, calls: readonly ToolCall[]): Promise<CallOutcome[]> {
  const outcomes: CallOutcome[] = []
  for (const call of calls) outcomes.push(await instance.call(call.tool, call.arguments, signal))
  return outcomes
}

/** Rows an instance changed so far; null for worlds that have no state to show. */
async function changes(instance: WorldInstance) {
  return (await instance.capture())?.diff ?? null
}

/**
 * The promises every `world` plugin keeps. Call it from the plugin's own test file.
 *
 * @param environment - one that the plugin can open, with at least one task whose gold calls write. Default: a tiny library.
 */
export function describeWorld(create: () => Plugin, environment: Environment = tinyEnvironment()): void {
  const writing = environment.tasks.find(({ gold }) => gold.answer === null)
  const calls = writing?.gold.calls ?? []
  const open = (world: World, seed = 1) => world.open({ environment, seed }, signal)

  describe(`${create().name} keeps the world contract`, () => {
    test('offers tools with names that chat APIs accept and none that is reserved', () =>
      withWorld(create(), async (world) => {
        const instance = await open(world)
        const names = instance.tools.map(({ name }) => name)
        expect(names.length).toBeGreaterThan(0)
        expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name) || reservedToolNames.has(name))).toEqual([])
        await instance.close()
      }))
    test('carries a reference solution out', () =>
      withWorld(create(), async (world) => {
        const instance = await open(world)
        expect((await play(instance, calls)).filter(({ result }) => !result.ok)).toEqual([])
        await instance.close()
      }))
    test('gives the same answers for the same calls', () =>
      withWorld(create(), async (world) => {
        const [first, second] = [await open(world), await open(world)]
        expect(await play(first, calls)).toEqual(await play(second, calls))
        await first.close()
        await second.close()
      }))
    test('hides the writes of one rollout from another', () =>
      withWorld(create(), async (world) => {
        const [writer, bystander] = [await open(world), await open(world)]
        await play(writer, calls)
        expect((await changes(bystander)) ?? []).toEqual([])
        expect(writer).not.toBe(bystander)
        await writer.close()
        await bystander.close()
      }))
    test('answers an unknown tool and a control name with an error result', () =>
      withWorld(create(), async (world) => {
        const instance = await open(world)
        for (const name of ['no_such_tool', 'verify', 'reset']) {
          const { result } = await instance.call(name, {}, signal)
          expect(result.ok ? null : result.error.kind).toBe('unknown_tool')
        }
        await instance.close()
      }))
    test('answers arguments of the wrong shape with an error result and changes nothing', () =>
      withWorld(create(), async (world) => {
        const instance = await open(world)
        for (const { name } of instance.tools) {
          const { result, diff } = await instance.call(name, { 'no such argument': 1 }, signal)
          expect([name, result.ok ? null : result.error.kind]).toEqual([name, 'invalid_arguments'])
          expect(diff).toEqual([])
        }
        await instance.close()
      }))
  })
}

import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replayGroups } from '@rlenv/groups-replay'
import { assemblePipeline, type Pipeline, RandomStream, type TrajectoryGroup } from 'rlenv'
import { groupOf, testContext } from 'rlenv/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let directory = ''
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'rlenv-replay-')), 'spilled')
})
afterEach(async () => {
  await rm(join(directory, '..'), { recursive: true, force: true })
})

/** @param memoryBytes - null = no budget. */
async function pipelineOf(memoryBytes: number | null): Promise<Pipeline> {
  const pipeline = await assemblePipeline([
    { name: 'test', plugins: [replayGroups({ maxAge: 6, maxPerTask: 5, maxTotal: 40, flat: 'keep' })] },
  ])
  if (memoryBytes !== null) pipeline.buffer.open({ directory, memoryBytes, segmentBytes: 4_000 })
  return pipeline
}

/** Groups of a language model: tokens, and log-probabilities in single precision, twelve tasks in all. */
function groupsOf(step: number): readonly TrajectoryGroup[] {
  const random = RandomStream.of(7, 'groups', step)
  return Array.from({ length: 6 }, (_, index) => {
    const ordinal = 6 * step + index
    const actions = Array.from({ length: 40 }, () => random.int(150_000))
    const logProbs = actions.map(() => Math.fround(-5 * random.real()))
    const rewards = random.chance(0.5) ? [1, 1, 1] : [1, -1, random.real()]
    return groupOf(rewards, { ordinal, taskId: `shop/t${random.int(12)}`, policyVersion: step, actions, logProbs })
  })
}

async function play(pipeline: Pipeline, from: number, to: number): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  for (let step = from; step < to; step++) {
    const metrics: Record<string, number> = {}
    const metric = (name: string, value: number) => {
      metrics[name] = value
    }
    const context = { ...testContext(step), step, policyVersion: step, learnerVersion: step, metric }
    const out = await pipeline.chain('groups', groupsOf(step), context)
    seen.push({ out, metrics, memory: JSON.stringify(pipeline.memory.state()) })
  }
  return seen
}

describe('a store on disk', () => {
  test.each([0, 10_000])('of %i bytes in memory gives what one in memory gives', async (bytes) => {
    const [spilled, whole] = [await pipelineOf(bytes), await pipelineOf(null)]
    const results = await play(spilled, 0, 30)
    expect(spilled.buffer.usage.diskBytes).toBeGreaterThan(5_000)
    expect(spilled.buffer.usage.values).toBeLessThanOrEqual(40)
    expect(results).toEqual(await play(whole, 0, 30))
    expect(JSON.stringify(results)).toContain('"replay/swaps":1')
    spilled.buffer.close()
    expect(existsSync(directory)).toBe(false)
  })

  test('goes on from what was remembered', async () => {
    const straight = await pipelineOf(null)
    await play(straight, 0, 12)
    const resumed = await pipelineOf(0)
    resumed.memory.restore(JSON.parse(JSON.stringify(straight.memory.state())))
    expect(await play(resumed, 12, 20)).toEqual(await play(straight, 12, 20))
  })

  test('keeps a snapshot readable while it is held, and lets go of it afterwards', async () => {
    const pipeline = await pipelineOf(0)
    await play(pipeline, 0, 5)
    const release = pipeline.buffer.hold()
    const snapshot = pipeline.memory.state()
    const before = JSON.stringify(snapshot)
    await play(pipeline, 5, 30)
    expect(pipeline.buffer.usage.values).toBeGreaterThan(40)
    expect(JSON.stringify(snapshot)).toBe(before)
    release()
    expect(pipeline.buffer.usage.values).toBeLessThanOrEqual(40)
    expect(() => JSON.stringify(snapshot)).toThrow('this value was released')
    pipeline.memory.restore(null)
    expect(pipeline.buffer.usage.values).toBe(0)
    expect((await readdir(directory)).length).toBeLessThanOrEqual(1)
  })
})

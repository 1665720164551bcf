import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { mcpEnvironment, mcpWorld } from '@rlenv/world-mcp'
import { assemblePipeline } from 'rlenv'
import { testSlotContext } from 'rlenv/testing'
import { expect, test } from 'vitest'
import { memory } from './real-servers.ts'

const { signal } = new AbortController()
const handles = () => readdirSync('/proc/self/fd').length
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('rlenv-mcp-'))

test.skipIf(process.platform !== 'linux')(
  'opening and closing leaves no handle, no folder and no listener',
  async () => {
    const environment = await mcpEnvironment(memory)
    const before = folders()
    const plugins = [mcpWorld({ environments: [memory], maxConcurrent: 4, prefetch: 1 })]
    const pipeline = await assemblePipeline([{ name: 'test', plugins }])
    const world = await pipeline.slot('world', testSlotContext())
    const round = async () => {
      const instance = await world.open({ environment, seed: 0 }, signal)
      await instance.call('read_graph', {}, signal)
      await instance.close()
    }
    const rounds = (count: number) => Promise.all(Array.from({ length: count }, round))
    const warnings: Error[] = []
    process.on('warning', (warning) => void warnings.push(warning))
    await rounds(8)
    const early = handles()
    for (let index = 0; index < 4; index++) await rounds(8)
    expect(handles()).toBeLessThanOrEqual(early + 4)
    await world.close()
    expect(folders().filter((name) => !before.includes(name))).toEqual([])
    expect(warnings).toEqual([])
  },
)

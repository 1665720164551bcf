import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mcpEnvironment, mcpWorld } from '@rlenv/world-mcp'
import { assemblePipeline } from 'rlenv'
import { testSlotContext } from 'rlenv/testing'
import { expect, onTestFinished, test } from 'vitest'
import { memory } from './real-servers.ts'

const { signal } = new AbortController()
const handles = () => readdirSync('/proc/self/fd').length

/** Where this process makes its folders from now on, so that those of tests beside it are not counted. */
function ownTemporaryFolder(): string {
  const { TMPDIR: before = tmpdir() } = process.env
  const folder = mkdtempSync(join(tmpdir(), 'rlenv-soak-'))
  process.env.TMPDIR = folder
  onTestFinished(() => {
    process.env.TMPDIR = before
    rmSync(folder, { recursive: true })
  })
  return folder
}

test.skipIf(process.platform !== 'linux')(
  'opening and closing leaves no handle, no folder and no listener',
  async () => {
    const environment = await mcpEnvironment(memory)
    const temporary = ownTemporaryFolder()
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
    // The last pipes of a process close a moment after it has ended; those of a leak never do.
    await expect.poll(handles, { timeout: 10_000 }).toBeLessThanOrEqual(early + 4)
    await world.close()
    expect(readdirSync(temporary).filter((name) => name.startsWith('rlenv-mcp-'))).toEqual([])
    expect(warnings).toEqual([])
  },
)

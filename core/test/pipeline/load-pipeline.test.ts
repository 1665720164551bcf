import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { definePlugin } from '../../src/plugin/define-plugin.ts'
import { SecretVault } from '../../src/plugin/secrets.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { testSlotContext } from '../../src/testing/test-context.ts'

const event: RunEvent = { type: 'run:end', runId: 'r', status: 'done' }

const watcher = definePlugin({
  name: 'watcher',
  options: z.strictObject({ heard: z.custom<string[]>() }),
  setup: ({ heard }) => ({ watch: ({ type }) => void heard.push(type) }),
})

test('an empty configuration stands on the core’s own plugins', async () => {
  const { pipeline, config } = await loadPipeline({ config: {}, command: 'rollout' })
  expect(config.rollout.maxTurns).toBe(20)
  expect((await pipeline.slot('world', testSlotContext())).name).toBe('executable')
  expect((await pipeline.slot('rollout', testSlotContext())).name).toBe('react')
  const world = pipeline.report.hooks.find(({ hook }) => hook === 'world')
  expect(world?.plugins).toMatchObject([{ name: 'rlenv/executable-world', layer: { index: 0, name: 'core' } }])
})

test('names the command and every hook point that a configuration leaves empty', async () => {
  const { pipeline } = await loadPipeline({ config: {}, command: 'train' })
  expect(() => pipeline.require(['world', 'learner', 'sampler'])).toThrow(
    'nothing fills learner, sampler, which "rlenv train" needs',
  )
})

test('tells the caller’s sink and the watchers of every event', async () => {
  const heard: string[] = []
  const events: string[] = []
  const { emit, pipeline } = await loadPipeline({
    config: { plugins: [watcher({ heard })] },
    command: 'train',
    events: ({ type }) => events.push(type),
  })
  emit(event)
  await pipeline.drain()
  expect([heard, events]).toEqual([['run:end'], ['run:end']])
})

test('takes the watchdog’s limits from the configuration', async () => {
  const hangs = definePlugin({
    name: 'hangs',
    options: z.strictObject({}),
    setup: () => ({ curriculum: () => new Promise<never>(() => undefined) }),
  })
  const events: RunEvent[] = []
  const { pipeline } = await loadPipeline({
    config: { plugins: [hangs()], watchdog: { warnAfterMs: 4 } },
    command: 'arena',
    set: ['watchdog.stopAfterMs=8'],
    events: (one) => events.push(one),
  })
  await expect(pipeline.slot('curriculum', testSlotContext())).rejects.toMatchObject({ code: 'RLENV_PLUGIN_STALLED' })
  expect(events).toMatchObject([{ type: 'waiting', waiter: 'plugin hangs in hook curriculum', forMs: 4 }])
})

test('loads a file and describes everything that it resolved to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rlenv-pipeline-'))
  await writeFile(join(folder, 'rlenv.config.mjs'), 'export default ({ command }) => ({ name: command, seed: 3 })')
  const secrets = new SecretVault({})
  const { describe: document } = await loadPipeline({
    cwd: folder,
    command: 'eval',
    set: ['training.steps=2'],
    secrets,
  })
  expect(document()).toMatchObject({
    command: 'eval',
    config: { name: 'eval', seed: 3, training: { steps: 2 }, file: 'rlenv.config.mjs' },
    layers: [{ name: 'core' }, { name: 'rlenv.config.mjs' }, { name: '--set' }],
    plugins: [{ name: 'rlenv/executable-world' }, { name: 'rlenv/react-rollout' }],
  })
  expect(JSON.stringify(document())).not.toContain(folder)
  await rm(folder, { recursive: true })
})

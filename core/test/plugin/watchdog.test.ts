import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/determinism/clock.ts'
import { defaultWatchdog, Watchdog } from '../../src/plugin/watchdog.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { pipelineOf, pluginOf, scenarioContext } from './plugin-fixtures.ts'

const watchdogFile = fileURLToPath(new URL('../../src/plugin/watchdog.ts', import.meta.url))
const hanging = pluginOf('hangs', { scenarioSource: () => new Promise(() => undefined) })

describe('the watchdog', () => {
  test('says for whom it waits, again and again, and ends the wait', async () => {
    const events: RunEvent[] = []
    const pipeline = await pipelineOf([hanging], {
      watchdog: { warnAfterMs: 5, stopAfterMs: 15 },
      events: (event) => events.push(event),
      clock: { now: () => 1_000, sleep: async () => undefined },
    })
    await expect(pipeline.chain('scenarioSource', [], scenarioContext())).rejects.toMatchObject({
      code: 'RLENV_PLUGIN_STALLED',
      plugin: 'hangs',
      hook: 'scenarioSource',
      message: 'hangs did not finish scenarioSource within 15 ms',
    })
    expect(events).toEqual([
      { type: 'waiting', waiter: 'plugin hangs in hook scenarioSource', since: 1_000, forMs: 5 },
      { type: 'waiting', waiter: 'plugin hangs in hook scenarioSource', since: 1_000, forMs: 10 },
    ])
  })

  test('tells watchers as well', async () => {
    const heard: string[] = []
    const watcher = pluginOf('watcher', { watch: (event: RunEvent) => void heard.push(event.type) })
    const pipeline = await pipelineOf([hanging, watcher], { watchdog: { warnAfterMs: 2, stopAfterMs: 5 } })
    await expect(pipeline.chain('scenarioSource', [], scenarioContext())).rejects.toThrow()
    expect(heard).toContain('waiting')
  })

  test('keeps a process alive that waits for a promise nobody settles', async () => {
    const program = `
      const { createJiti } = await import('jiti')
      const { Watchdog } = await createJiti(import.meta.url, { fsCache: false }).import(${JSON.stringify(watchdogFile)})
      const clock = { now: () => 0 }
      const watchdog = new Watchdog({ warnAfterMs: 10, stopAfterMs: 20 }, clock, () => {})
      const site = { plugin: 'hangs', hook: 'dbMiner' }
      await watchdog.wait(new Promise(() => {}), site, new AbortController().signal).catch((e) => console.log(e.code))`
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
    })
    expect((await run).stdout.trim()).toBe('RLENV_PLUGIN_STALLED')
  })

  test('stops waiting with the signal’s own reason', async () => {
    const controller = new AbortController()
    const pipeline = await pipelineOf([hanging])
    const run = pipeline.chain('scenarioSource', [], scenarioContext(controller.signal))
    const reason = new Error('interrupted')
    controller.abort(reason)
    await expect(run).rejects.toBe(reason)
    await expect(pipeline.chain('scenarioSource', [], scenarioContext(controller.signal))).rejects.toBe(reason)
  })

  test('lets any number of calls wait on one signal', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    const controller = new AbortController()
    const pipeline = await pipelineOf([hanging])
    const runs = Array.from({ length: 50 }, () =>
      pipeline.chain('scenarioSource', [], scenarioContext(controller.signal)),
    )
    controller.abort(new Error('interrupted'))
    const results = await Promise.allSettled(runs)
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('warning', onWarning)
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(warnings).toEqual([])
  })

  test('leaves no listener on a signal once nothing waits on it', async () => {
    const { signal } = new AbortController()
    const watchdog = new Watchdog(defaultWatchdog, systemClock, () => undefined)
    const site = { plugin: 'slow', hook: 'dbMiner' }
    const waits = [Promise.resolve(1), Promise.reject(new Error('no')), Promise.resolve(2)].map((promise) => {
      return watchdog.wait(promise, site, signal)
    })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await Promise.allSettled(waits)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    const again = watchdog.wait(Promise.resolve(3), site, signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    expect(await again).toBe(3)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('blames no plugin for what it threw because of an abort', async () => {
    const controller = new AbortController()
    const obedient = pluginOf('obedient', {
      scenarioSource: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    })
    const run = (await pipelineOf([obedient])).chain('scenarioSource', [], scenarioContext(controller.signal))
    const reason = new Error('interrupted')
    controller.abort(reason)
    await expect(run).rejects.toBe(reason)
  })
})

describe('watchers', () => {
  const event: RunEvent = { type: 'run:end', runId: 'r', status: 'done' }

  test('fail without stopping anything, and stop complaining after a while', async () => {
    const lines: string[] = []
    const throws = pluginOf('throws', {
      watch: () => {
        throw new Error('no disk')
      },
    })
    const rejects = pluginOf('rejects', { watch: () => Promise.reject(new Error('no net')) })
    const pipeline = await pipelineOf([throws, rejects], {
      log: (plugin, message) => lines.push(`${plugin}: ${message}`),
    })
    for (let i = 0; i < 8; i++) pipeline.emit(event)
    await pipeline.drain()
    expect(lines).toHaveLength(10)
    expect(lines).toContain('throws: watch failed on run:end: no disk')
    expect(lines).toContain('rejects: watch failed on run:end: no net; its further errors are not shown')
  })

  test('are waited for by drain, but not for ever', async () => {
    let finished = false
    const slow = pluginOf('slow', {
      watch: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        finished = true
      },
    })
    const pipeline = await pipelineOf([slow, pluginOf('never', { watch: () => new Promise(() => undefined) })])
    pipeline.emit(event)
    expect(finished).toBe(false)
    await pipeline.drain(50)
    expect(finished).toBe(true)
  })
})

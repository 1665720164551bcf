import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createEventBus } from '../../src/telemetry/event-bus.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { createRunLog } from '../../src/telemetry/run-log.ts'

const event: RunEvent = { type: 'run:end', runId: 'r', status: 'done' }

describe('the run log', () => {
  test('writes one JSON object a line to a file, in a folder that it makes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rlenv-log-'))
    const file = join(folder, 'logs/run.log')
    const log = createRunLog({ file })
    log.plugin('miner', 'read 3 tables')
    log.logger.warn('slow')
    log.close()
    const lines = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { plugin: 'miner', msg: 'read 3 tables' },
      { level: 40, msg: 'slow' },
    ])
    await rm(folder, { recursive: true })
  })

  test.runIf(existsSync('/dev/full'))('drops and counts lines that a full disk does not take, at once', () => {
    const log = createRunLog({ file: '/dev/full' })
    log.logger.error('the disk is full')
    log.logger.error('still')
    expect(log.lostLines).toBe(2)
    log.close()
  })

  test('holds no secret, whether known by its name or by its value', () => {
    const lines: string[] = []
    const redact = (text: string) => text.replaceAll('sk-1', '[secret KEY]')
    const log = createRunLog({ destination: { write: (line) => void lines.push(line) }, redact })
    log.logger.info({ apiKey: 'sk-2', client: { authorization: 'Bearer sk-3' } }, 'using sk-1')
    expect(lines.join('')).not.toMatch(/sk-\d/)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ apiKey: '[redacted]', msg: 'using [secret KEY]' })
  })

  test('is silent below its level', () => {
    const lines: string[] = []
    const log = createRunLog({ destination: { write: (line) => void lines.push(line) }, level: 'error' })
    log.plugin('miner', 'chatter')
    expect(lines).toEqual([])
  })
})

describe('the event bus', () => {
  test('hands every event to every subscriber until it leaves', () => {
    const bus = createEventBus(() => undefined)
    const heard: string[] = []
    const leave = bus.subscribe(({ type }) => heard.push(`a ${type}`))
    bus.subscribe(({ type }) => heard.push(`b ${type}`))
    bus.emit(event)
    leave()
    bus.emit(event)
    expect(heard).toEqual(['a run:end', 'b run:end', 'b run:end'])
  })

  test('goes on when a subscriber throws, and reports it', () => {
    const errors: unknown[] = []
    const bus = createEventBus((error) => errors.push(error))
    const heard: string[] = []
    const boom = new Error('boom')
    bus.subscribe(() => {
      throw boom
    })
    bus.subscribe(({ type }) => heard.push(type))
    bus.emit(event)
    expect(heard).toEqual(['run:end'])
    expect(errors).toEqual([boom])
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTraces } from '../../src/runs/read-traces.ts'
import { judgedFromTrace, traceLine } from '../../src/runs/trace-line.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { judgedOf } from '../../src/testing/trajectories.ts'
import type { JudgedTrajectory } from '../../src/vocabulary/trajectory.ts'
import { collectAll, drawsOf, engineOf } from '../rollout/engine-of.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rlenv-traces-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function played(): Promise<readonly JudgedTrajectory[]> {
  const policy = scriptedPolicy([{ tool: 'add', arguments: { by: 1 } }, { tool: 'multiply', arguments: {} }, 'Done.'])
  const { engine } = await engineOf({ policy })
  const [group] = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 2 })
  return group!.members
}

describe('traceLine', () => {
  test('gives a played rollout the field’s names and nothing that a clock decides', async () => {
    const [member] = await played()
    const line = traceLine(member!)
    expect(line).toMatchObject({
      id: 'd0/0',
      task_id: 'counter/t0',
      env: 'counter',
      group_id: 'd0',
      rollout_index: 0,
      attempt: 1,
      policy_version: 0,
      model: 'scripted',
      stop_reason: 'completed',
      reward: 1,
      error: null,
      metrics: { turns: 3, tool_calls: 2, tool_errors: 1, score: 1, passed: 1 },
      usage: { prompt_tokens: 0, completion_tokens: 3 },
      state_diff: [{ kind: 'update', table: 'counter' }],
    })
    expect(Object.keys(line).filter((key) => /time|date|_at|_ms/.test(key))).toEqual([])
  })

  test('can be read back', async () => {
    for (const member of await played()) {
      expect(judgedFromTrace(JSON.parse(JSON.stringify(traceLine(member))))).toEqual(member)
    }
  })

  test.each(['environment_fault', 'policy_fault', 'unscored', 'cancelled'] as const)('%s can be read back', (kind) => {
    const member = judgedOf(kind)
    expect(judgedFromTrace(JSON.parse(JSON.stringify(traceLine(member))))).toEqual(member)
  })

  test('says whose fault it was and whether trying again can help', () => {
    const fault = { in: 'model', kind: 'faulted', code: 'turn_timeout', message: 'm' } as const
    const member = judgedOf('environment_fault')
    const outcome = { kind: 'environment_fault', code: 'turn_timeout', message: 'm', retryable: true } as const
    const line = traceLine({ ...member, outcome, trajectory: { ...member.trajectory, stopReason: fault } })
    expect(line.error).toEqual({ type: 'model/turn_timeout', message: 'm', blame: 'environment', retryable: true })
    expect(line.stop_reason).toBe('model_error')
    expect(traceLine(judgedOf('policy_fault')).error?.blame).toBe('policy')
    expect(traceLine(judgedOf('unscored')).error?.blame).toBe('verifier')
  })

  test('writes a reward that is not finite as none', () => {
    expect(traceLine({ ...judgedOf(1), reward: Number.NaN }).reward).toBeNull()
  })
})

describe('readTraces', () => {
  test('names the line and the field that is not what was written', async () => {
    const path = join(folder, 'edited.jsonl')
    const good = JSON.stringify(traceLine(judgedOf(1)))
    await writeFile(path, `${good}\n${good.replace('"seed":1', '"seed":"one"')}\n`)
    const traces = readTraces(path)
    await traces.next()
    await expect(traces.next()).rejects.toMatchObject({
      code: 'RLENV_FILE_INVALID',
      message: expect.stringMatching(/edited\.jsonl, line 2: no trace: trajectory\.seed: /),
    })
  })
})

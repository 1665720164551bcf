import { describe, expect, test } from 'vitest'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import { judgedFromTrace, traceLine } from '../../src/runs/trace-line.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import type { AssistantMessage } from '../../src/vocabulary/message.ts'
import type { JudgedTrajectory } from '../../src/vocabulary/trajectory.ts'
import { play } from './play.ts'

const saying = (name: string, args: string): AssistantMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c0', type: 'function', function: { name, arguments: args } }],
})

async function playing(args: string, surface: 'direct' | 'meta' = 'direct') {
  const environment = tinyEnvironment()
  const name = surface === 'meta' ? 'call_tool' : 'search_books'
  const policy = scriptedPolicy([saying(name, args), 'Done.'])
  const { trajectory, world } = await play({ environment, world: new ExecutableWorld(), policy, options: { surface } })
  await world?.close()
  return trajectory
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('arguments that cannot be written down again', () => {
  test.each([
    ['nested too deeply', `{"query":${nested(200_000)}}`, 'nested more than 100 levels'],
    ['nested too deeply in objects', `${'{"query":'.repeat(200_000)}1${'}'.repeat(200_000)}`, 'nested more than 100'],
    ['with a number beyond JSON', '{"query":1e999}', 'a number beyond the range'],
    ['with a key that reaches for a prototype', '{"query":{"__proto__":{"tier":"plus"}}}', 'a key "__proto__"'],
  ])('%s are answered as invalid, and the rollout goes on and can be recorded', async (_what, args, message) => {
    const trajectory = await playing(args)
    expect(trajectory.turns[0]?.calls[0]).toMatchObject({
      arguments: null,
      result: { ok: false, error: { kind: 'invalid_arguments', message: expect.stringContaining(message) } },
    })
    expect(trajectory.stopReason).toEqual({ kind: 'terminated', by: 'answer' })
    const judged: JudgedTrajectory = { trajectory, outcome: { kind: 'scored' }, verdict: null, reward: -1 }
    expect(judgedFromTrace(JSON.parse(JSON.stringify(traceLine(judged))))).toEqual(judged)
  })

  test('are found on the meta surface too', async () => {
    const trajectory = await playing(`{"tool_name":"search_books","arguments":{"query":${nested(200_000)}}}`, 'meta')
    expect(trajectory.turns[0]?.calls[0]).toMatchObject({ result: { error: { code: 'invalid_json' } } })
  })

  test('leave ordinary nesting alone', async () => {
    const trajectory = await playing(`{"query":${nested(90)}}`)
    expect(trajectory.turns[0]?.calls[0]).toMatchObject({ result: { error: { code: 'invalid_arguments' } } })
  })
})

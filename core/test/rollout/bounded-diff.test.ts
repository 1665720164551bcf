import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExecutableEnvironment } from '../../src/environment/executable-environment.ts'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { boundedDiff, changedRows } from '../../src/rollout/bounded-diff.ts'
import { ReactRollout } from '../../src/rollout/react-rollout.ts'
import { createRolloutEngine } from '../../src/rollout/rollout-engine.ts'
import { judgedFromTrace, traceLine } from '../../src/runs/trace-line.ts'
import { sessionTrajectory } from '../../src/serving/session-record.ts'
import { scriptedTrajectory } from '../../src/synthesis/gate/scripted-trajectory.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { tinyHooks, tinyPlugin } from '../../src/testing/tiny-plugin.ts'
import { tinyVerifierOf } from '../../src/testing/tiny-verifier.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import type { RowChange, StateDiff } from '../../src/vocabulary/state-diff.ts'
import type { JudgedTrajectory } from '../../src/vocabulary/trajectory.ts'
import { sqlTool } from '../environment/workshop.ts'
import { collectAll, testConfig } from './engine-of.ts'
import { drawOf } from './play.ts'

const rows = Array.from({ length: 1_000 }, (_, index) => `(${index}, 'plain')`).join(', ')
const text = { type: 'string' } as const
const tiny = tinyEnvironment()
const task = tiny.tasks[0]!

/** A library with a table of 1,000 rows that one call can change; right is to have changed them all to "done". */
const environment: Environment = {
  ...tiny,
  database: {
    ...tiny.database,
    schema: `${tiny.database.schema}\nCREATE TABLE marks (id INTEGER PRIMARY KEY, mark TEXT);`,
    data: `${tiny.database.data}\nINSERT INTO marks VALUES ${rows};`,
  },
  tools: [
    ...tiny.tools,
    sqlTool('mark_all', { mark: text }, [{ kind: 'run', sql: 'UPDATE marks SET mark = @mark' }]),
    sqlTool('mark_one', { mark: text }, [{ kind: 'run', sql: 'UPDATE marks SET mark = @mark WHERE id = 900' }]),
  ],
}

function wanted(): StateDiff {
  const instance = new ExecutableEnvironment(environment).open({ seed: 1 })
  instance.call('mark_all', { mark: 'done' })
  const diff = instance.diff()
  instance.close()
  return diff
}

const whole = wanted()
const judgedEnvironment: Environment = {
  ...environment,
  verifiers: { ...environment.verifiers, [task.id]: tinyVerifierOf(whole, null) },
}

/** One rollout that calls these tools with these marks, judged. */
async function played(...calls: readonly [tool: string, mark: string][]): Promise<JudgedTrajectory> {
  const policy = scriptedPolicy([...calls.map(([tool, mark]) => ({ tool, arguments: { mark } })), 'Done.'])
  const plugin = tinyPlugin({ hooks: { ...tinyHooks, rewardShaper: (reward) => reward } })
  const engine = createRolloutEngine({
    pipeline: await assemblePipeline([{ name: 'test', plugins: [plugin] }]),
    strategy: new ReactRollout(),
    world: new ExecutableWorld(),
    policy,
    environments: [judgedEnvironment],
    config: testConfig,
    seed: 1,
    events: () => {},
  })
  const [group] = await collectAll(engine, { draws: [drawOf(task.id)], rolloutsPerDraw: 1 })
  return group!.members[0]!
}

describe('the diff of a call that changes very many rows', () => {
  test('is bounded in the call and in the trajectory, with the number of the rest, and judged as a whole', async () => {
    const member = await played(['mark_all', 'done'])
    const { turns, diff, omittedChanges } = member.trajectory
    expect([diff.length, omittedChanges]).toEqual([200, 800])
    expect(diff).toEqual(whole.slice(0, 200))
    expect(turns[0]?.calls[0]).toMatchObject({ diff, omittedChanges: 800, result: { ok: true } })
    expect(member.verdict).toMatchObject({ passed: true, score: 1 })
    expect(whole.length).toBe(1_000)
  })

  test('is that from the first state to the last, when several calls changed the same rows', async () => {
    const member = await played(['mark_all', 'half'], ['mark_all', 'done'])
    expect(member.trajectory.diff).toEqual(whole.slice(0, 200))
    expect(member.trajectory.omittedChanges).toBe(800)
    expect(member.verdict).toMatchObject({ passed: true })
    const back = await played(['mark_all', 'half'], ['mark_all', 'plain'])
    expect([back.trajectory.diff, back.trajectory.omittedChanges]).toEqual([[], undefined])
    expect(back.verdict).toMatchObject({ passed: false })
  })

  test('fails where only a row beyond the bound is wrong', async () => {
    const right = await played(['mark_all', 'done'], ['mark_one', 'done'])
    const wrong = await played(['mark_all', 'done'], ['mark_one', 'other'])
    expect(wrong.trajectory.diff).toEqual(right.trajectory.diff)
    expect([right.verdict?.kind, wrong.verdict?.kind]).toEqual(['passed', 'failed'])
  })

  test('counts as a change when not one row fits', async () => {
    const { trajectory } = await played(['mark_one', 'x'.repeat(9_000)], ['mark_all', '\u0001'.repeat(9_990)])
    const [first, second] = trajectory.turns.flatMap((turn) => turn.calls)
    expect([first?.diff.length, first?.omittedChanges]).toEqual([1, undefined])
    expect([second?.diff.length, second?.omittedChanges]).toEqual([1, 999])
    expect([trajectory.diff.length, trajectory.omittedChanges]).toEqual([1, 999])
    expect(JSON.stringify(trajectory.diff).length).toBeLessThan(65_537)
  })

  test('is written with its number into a trace, the same every time, and read back', async () => {
    const [member, again] = [await played(['mark_all', 'done']), await played(['mark_all', 'done'])]
    const line = JSON.stringify(traceLine(member))
    expect(JSON.stringify(traceLine(again))).toBe(line)
    expect(JSON.parse(line)).toMatchObject({
      state_diff_omitted: 800,
      turns: [{ calls: [{ omittedChanges: 800 }] }, {}],
    })
    expect(judgedFromTrace(JSON.parse(line))).toEqual(member)
  })

  test('is bounded in what a session and the gate hand to a verifier, too', () => {
    const call = { name: 'mark_all', serverName: 'mark_all', arguments: {}, result: { ok: true, content: 1 } } as const
    const session = sessionTrajectory({
      task,
      seed: 1,
      calls: [{ ...call, diff: whole, text: '1' }],
      answer: null,
      diff: whole,
    })
    const step = { call: { tool: 'mark_all', arguments: {} }, result: call.result, diff: whole }
    const gold = scriptedTrajectory({ task, script: 'gold', seed: 1, calls: [step], answer: '', diff: whole })
    for (const { diff, omittedChanges, turns } of [session, gold]) {
      expect([diff.length, omittedChanges]).toEqual([200, 800])
      expect(turns[0]?.calls[0]).toMatchObject({ diff: whole.slice(0, 200), omittedChanges: 800 })
    }
  })
})

describe('boundedDiff', () => {
  const insert = (mark: string): RowChange => ({ kind: 'insert', table: 't', key: { id: 1 }, after: { id: 1, mark } })

  test('leaves out a single row that is too large, and none that is not', () => {
    expect(boundedDiff([insert('x'.repeat(70_000))])).toEqual({ diff: [], omittedChanges: 1 })
    const large = [insert('x'.repeat(65_000))]
    expect(boundedDiff(large).diff).toBe(large)
    expect(boundedDiff([insert('\u0001'.repeat(65_000 / 6))]).omittedChanges).toBeUndefined()
    expect(boundedDiff([insert('\u0001'.repeat(11_000))]).omittedChanges).toBe(1)
  })

  test('never keeps more than 65,536 characters, loses no row from its count, and bounds nothing twice', () => {
    const changes = fc.array(fc.string({ unit: 'binary', maxLength: 6_000 }).map(insert), { maxLength: 30 })
    fc.assert(
      fc.property(changes, fc.nat(5), (diff, before) => {
        const once = boundedDiff(diff, before)
        expect(changedRows(once)).toBe(diff.length + before)
        expect(JSON.stringify(once.diff).length).toBeLessThanOrEqual(65_537)
        expect(once.diff).toEqual(diff.slice(0, once.diff.length))
        expect(boundedDiff(once.diff, once.omittedChanges)).toEqual(once)
      }),
      { numRuns: 60 },
    )
  })
})

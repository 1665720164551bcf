import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/vocabulary/json.ts'
import { openDoor, TestClient, type TestDoor } from './door.ts'

/** The keys that AWM's official client takes; it refuses an observation with any other. */
const knownKeys = new Set([
  ...['reward_type', 'scenario', 'task', 'task_idx', 'has_verifier', 'num_tools', 'tool_name', 'tool_result', 'error'],
  ...['warning', 'verify_result', 'steps_taken', 'scenarios', 'total', 'trajectory_path', 'session_dir', 'metadata'],
])

describe('the AWM dialect', () => {
  let door: TestDoor
  beforeAll(async () => {
    door = await openDoor()
  })
  afterAll(() => door.close())

  async function client(reset?: JsonObject): Promise<TestClient> {
    const connected = await TestClient.connect(`${door.ws}/awm/ws`)
    if (reset !== undefined) await connected.reply({ type: 'reset', data: reset })
    return connected
  }

  it('plays the recorded exchange: reset, list, call, unknown tool, bad arguments, verify, done, state', async () => {
    const awm = await client()
    const [environment] = door.environments
    const [task] = environment.tasks
    const reset = await awm.reply({ type: 'reset', data: { scenario: 'Library 1', task_idx: 0, episode_id: 'ep-1' } })
    expect(reset).toEqual({
      observation: {
        reward_type: 'reset_ok',
        scenario: 'library_1',
        task: task?.instruction,
        task_idx: 0,
        has_verifier: { sql: false, code: true },
        num_tools: environment.tools.length,
      },
      reward: null,
      done: false,
    })
    const listed = await awm.step({ type: 'list_tools' })
    expect(listed).toMatchObject({ observation: { error: null }, reward: null, done: false })
    expect(Object.keys((listed.observation.tools as JsonObject[])[0] ?? {})).toEqual([
      'name',
      'description',
      'input_schema',
    ])
    for (const { tool, arguments: args } of task?.gold.calls ?? []) {
      const called = await awm.call(tool, args)
      expect(called).toMatchObject({
        observation: { reward_type: 'tool_call_ok', tool_name: tool, tool_result: expect.any(String) },
        reward: 0,
        done: false,
      })
    }
    expect(await awm.call('nope')).toMatchObject({
      observation: {
        reward_type: 'tool_not_found',
        tool_name: 'nope',
        error: expect.stringMatching(/unknown tool "nope"/),
      },
      reward: -1,
    })
    expect(await awm.call('find_member', { name: 3 })).toMatchObject({
      observation: { reward_type: 'invalid_args', tool_name: 'find_member', error: expect.stringMatching(/name/) },
      reward: -1,
    })
    const steps = 1 + (task?.gold.calls.length ?? 0) + 2 + 1
    expect(await awm.call('verify', { verifier_mode: 'code' })).toMatchObject({
      observation: {
        reward_type: 'complete',
        scenario: 'library_1',
        task_idx: 0,
        steps_taken: steps,
        verify_result: { result: 'complete', execution_status: 'success' },
      },
      reward: 1,
      done: false,
    })
    expect(await awm.call('done', { keep_session: true })).toEqual({
      observation: {
        reward_type: 'episode_done',
        scenario: 'library_1',
        task: task?.instruction,
        task_idx: 0,
        steps_taken: steps + 1,
      },
      reward: 0,
      done: true,
    })
    expect(await awm.call('find_member', { name: 'x' })).toMatchObject({
      observation: { reward_type: 'episode_already_done' },
      reward: null,
      done: true,
    })
    expect(await awm.ask({ type: 'state' })).toEqual({
      type: 'state',
      data: { episode_id: 'ep-1', step_count: steps + 1 },
    })
    await awm.close()
  })

  it('sends no key that the official client would refuse', async () => {
    const awm = await client({ scenario: 'library_1', task_idx: 1 })
    const replies = [
      await awm.reply({ type: 'reset', data: { scenario: 'library_1', task_idx: 1 } }),
      await awm.call('find_member', { name: 'nobody at all' }),
      await awm.call('lend_book', { member_id: 999_999, book_id: 1 }),
      await awm.call('nope'),
      await awm.call('find_member', {}),
      await awm.call('__list_scenarios__'),
      await awm.call('verify'),
      await awm.call('done'),
      await awm.call('verify'),
      await awm.reply({ type: 'reset', data: {} }),
      await awm.call('verify'),
      await awm.call('find_member', { name: 'x' }),
    ]
    for (const { observation } of replies) {
      expect(Object.keys(observation).filter((key) => !knownKeys.has(key))).toEqual([])
      expect(Object.values(observation)).not.toContain(null)
      for (const text of ['error', 'warning', 'task', 'tool_name'])
        expect(['string', 'undefined']).toContain(typeof observation[text])
    }
    await awm.close()
  })

  it('counts a refusal of the application neither as a format error nor as a fault of the server', async () => {
    const awm = await client({ scenario: 'library_1', task_idx: 0 })
    expect(await awm.call('lend_book', { member_id: 999_999, book_id: 1 })).toMatchObject({
      observation: { reward_type: 'tool_call_ok', metadata: { kind: 'business_rejection' } },
      reward: 0,
    })
    await awm.close()
  })

  it('scores an untouched world 0, can be asked again, and tells no verifier of other modes', async () => {
    const awm = await client({ scenario: 'library_1', task_idx: 0 })
    expect(await awm.call('verify')).toMatchObject({ observation: { reward_type: 'others' }, reward: 0, done: false })
    for (const { tool, arguments: args } of door.environments[0].tasks[0]?.gold.calls ?? []) await awm.call(tool, args)
    expect(await awm.call('verify')).toMatchObject({ observation: { reward_type: 'complete' }, reward: 1 })
    expect(await awm.call('verify', { verifier_mode: 'sql' })).toMatchObject({
      observation: { reward_type: 'no_verifier' },
      reward: 0,
    })
    expect(await awm.call('verify', { verifier_mode: 'oracle' })).toMatchObject({
      observation: { reward_type: 'invalid_args' },
      reward: -1,
    })
    await awm.close()
  })

  it('verifies the final answer of a question', async () => {
    const awm = await client({ scenario: 'library_1', task_idx: 3 })
    const { gold } = door.environments[0].tasks[3] ?? { gold: { answer: null, calls: [] } }
    expect(await awm.call('verify', { final_answer: 'somewhere' })).toMatchObject({ reward: 0 })
    expect(await awm.call('verify', { final_answer: gold.answer })).toMatchObject({ reward: 1 })
    await awm.close()
  })

  it('replaces the reward table whole when a reset brings one', async () => {
    const awm = await client({ scenario: 'library_1', task_idx: 0, reward_config: { others: 0.25, tool_call_ok: 0.5 } })
    expect(await awm.call('verify')).toMatchObject({ reward: 0.25 })
    expect(await awm.call('list_loans', { member_id: 1 })).toMatchObject({ reward: 0.5 })
    expect(await awm.call('nope')).toMatchObject({ reward: -1 })
    for (const { tool, arguments: args } of door.environments[0].tasks[0]?.gold.calls ?? []) await awm.call(tool, args)
    expect(await awm.call('verify')).toMatchObject({ observation: { reward_type: 'complete' }, reward: 0 })
    await awm.close()
  })

  it.each<[JsonObject, RegExp]>([
    [{}, /'scenario' is required/],
    [{ scenario: '' }, /'scenario' is required/],
    [{ scenario: 5 }, /'scenario' has a wrong type/],
    [{ scenario: 'atlantis' }, /'atlantis' not found/],
    [{ scenario: '図書館' }, /not found/],
    [{ scenario: 'library_1', task_idx: 4 }, /out of range \(0\.\.3\)/],
    [{ scenario: 'library_1', task_idx: -1 }, /out of range/],
    [{ scenario: 'library_1', task_idx: 1.5 }, /'task_idx' has a wrong type/],
    [{ scenario: 'library_1', task_idx: '1' }, /'task_idx' has a wrong type/],
    [{ scenario: 'library_1', reward_config: { complete: 'much' } }, /'reward_config' has a wrong type/],
  ])('answers a reset with %j by a reset_error, after which there is no world', async (reset, error) => {
    const awm = await client({ scenario: 'library_1', task_idx: 0 })
    expect(await awm.reply({ type: 'reset', data: reset })).toMatchObject({
      observation: { reward_type: 'reset_error', error: expect.stringMatching(error) },
      reward: null,
      done: false,
    })
    expect(await awm.call('find_member', { name: 'x' })).toMatchObject({
      observation: { reward_type: 'server_error' },
      reward: 0,
    })
    await awm.close()
  })

  it('says without a reset that there is none', async () => {
    const awm = await client()
    expect(await awm.step({ type: 'list_tools' })).toMatchObject({
      observation: { tools: [], error: expect.stringMatching(/Call reset/) },
    })
    expect(await awm.call('verify')).toMatchObject({ observation: { reward_type: 'server_error' }, done: false })
    expect(await awm.call('done')).toMatchObject({ observation: { reward_type: 'server_error' }, done: true })
    expect(await awm.call('verify')).toMatchObject({ observation: { reward_type: 'episode_already_done' }, done: true })
    await awm.close()
  })

  it("takes a client's own task, which nothing can verify", async () => {
    const awm = await client({ scenario: 'library_2', task: 'Tidy up.' })
    expect(await awm.call('verify')).toMatchObject({ observation: { reward_type: 'no_verifier' }, reward: 0 })
    await awm.close()
  })

  it('lists scenarios with their tasks', async () => {
    const awm = await client()
    const { observation } = await awm.call('__list_scenarios__')
    expect(observation).toMatchObject({ reward_type: 'tool_call_ok', total: 2 })
    expect(observation.scenarios).toMatchObject([
      { name: 'library_1', num_tasks: 4 },
      { name: 'library_2', num_tasks: 4 },
    ])
    await awm.close()
  })

  it('refuses actions that are none with an error frame and goes on', async () => {
    const awm = await client({ scenario: 'library_1', task_idx: 0 })
    for (const data of [{ type: 'verify' }, { type: 'reset' }, {}, { type: 'call_tool' }])
      expect(await awm.ask({ type: 'step', data })).toMatchObject({ type: 'error', data: { code: 'VALIDATION_ERROR' } })
    expect(await awm.ask({ type: 'state' })).toMatchObject({ data: { step_count: 0 } })
    await awm.close()
  })

  it('frees its world when an episode is done', async () => {
    const awm = await client({ scenario: 'library_1', task_idx: 0 })
    const before = door.broker.counts.open
    await awm.call('done')
    expect(door.broker.counts.open).toBe(before - 1)
    await awm.close()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/vocabulary/json.ts'
import { openDoor, TestClient, type TestDoor } from './door.ts'

describe('the generic dialect', () => {
  let door: TestDoor
  beforeAll(async () => {
    door = await openDoor()
  })
  afterAll(() => door.close())

  async function client(reset?: JsonObject): Promise<TestClient> {
    const connected = await TestClient.connect(`${door.ws}/ws`)
    if (reset !== undefined) await connected.reply({ type: 'reset', data: reset })
    return connected
  }

  it('solves a task by its gold calls and ends with a verdict as reward', async () => {
    const generic = await client()
    const [task] = door.environments[1].tasks
    const reset = await generic.reply({ type: 'reset', data: { task_id: 'library-2/lend', episode_id: 'e' } })
    expect(reset).toMatchObject({
      observation: {
        environment_id: 'library-2',
        task_id: 'library-2/lend',
        task_idx: 0,
        task: task?.instruction,
        metadata: { task: task?.instruction },
      },
      reward: null,
      done: false,
    })
    for (const { tool, arguments: args } of task?.gold.calls ?? []) {
      const { observation, reward } = await generic.call(tool, args)
      expect(observation).toMatchObject({ tool_name: tool, error: null, result: { is_error: false } })
      expect(reward).toBeNull()
    }
    const judged = await generic.step({ type: 'verify' })
    expect(judged).toMatchObject({ observation: { verdict: 'passed', passed: true, score: 1 }, reward: 1, done: true })
    expect(await generic.ask({ type: 'state' })).toMatchObject({ data: { episode_id: 'e', step_count: 4 } })
    await generic.close()
  })

  it('is over after the verdict until the next reset', async () => {
    const generic = await client({})
    expect(await generic.step({ type: 'verify' })).toMatchObject({ reward: 0, done: true })
    const call = await generic.call('list_loans', { member_id: 1 })
    expect(call).toMatchObject({ observation: { error: { error_type: 'execution_error' } }, reward: null, done: true })
    await generic.reply({ type: 'reset', data: {} })
    expect(await generic.call('list_loans', { member_id: 1 })).toMatchObject({
      observation: { error: null },
      done: false,
    })
    await generic.close()
  })

  it('hands the data of a result to callers, its text beside it', async () => {
    const generic = await client({})
    const { observation } = await generic.call('list_loans', { member_id: 1 })
    const { data, content } = observation.result as { data: unknown; content: { type: string; text: string }[] }
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(data)
    await generic.close()
  })

  it('hands callers the shown part of a result that is too long', async () => {
    const narrow = await openDoor({ broker: { limits: { maxResultChars: 40 } } })
    const generic = await TestClient.connect(`${narrow.ws}/ws`)
    const { observation } = await generic.call('list_loans', { member_id: 1 })
    expect(observation.result).toMatchObject({ data: expect.stringContaining('characters are missing here') })
    await generic.close()
    await narrow.close()
  })

  it.each<[string, JsonObject, string]>([
    ['nope', {}, 'tool_not_found'],
    ['verify', {}, 'tool_not_found'],
    ['reset', {}, 'tool_not_found'],
    ['done', {}, 'tool_not_found'],
    ['find_member', { name: 3 }, 'invalid_args'],
    ['lend_book', { member_id: 999_999, book_id: 1 }, 'execution_error'],
  ])('answers a call of %s with %j by the error %s, decided at its source', async (tool, args, type) => {
    const generic = await client({})
    expect(await generic.call(tool, args)).toMatchObject({
      observation: { tool_name: tool, result: null, error: { error_type: type, message: expect.any(String) } },
      done: false,
    })
    await generic.close()
  })

  it('takes the seed for the number of the task when none is named, over and over', async () => {
    const generic = await client()
    const ids: unknown[] = []
    for (const seed of [0, 1, 4, 7, 8])
      ids.push((await generic.reply({ type: 'reset', data: { seed } })).observation.task_id)
    expect(ids).toEqual(['library-1/lend', 'library-1/return', 'library-2/lend', 'library-2/shelf', 'library-1/lend'])
    const { observation } = await generic.reply({ type: 'reset', data: { environment_id: 'library-2', seed: 5 } })
    expect(observation.task_id).toBe('library-2/return')
    const chosen = await generic.reply({ type: 'reset', data: { environment_id: 'library-2', task_idx: 2 } })
    expect(chosen.observation.task_id).toBe('library-2/promote')
    await generic.close()
  })

  it('drops parameters of a reset that it does not know', async () => {
    const generic = await client()
    expect(await generic.ask({ type: 'reset', data: { seed: null, difficulty: 'hard' } })).toMatchObject({
      type: 'observation',
    })
    await generic.close()
  })

  it.each<[JsonObject, JsonObject]>([
    [{ seed: -1 }, { code: 'VALIDATION_ERROR' }],
    [{ seed: 'x' }, { code: 'VALIDATION_ERROR' }],
    [{ task_id: 5 }, { code: 'VALIDATION_ERROR' }],
    [{ task_id: 'library-1/none' }, { code: 'EXECUTION_ERROR' }],
    [{ environment_id: 'atlantis' }, { code: 'EXECUTION_ERROR' }],
    [{ environment_id: 'library-1', task_idx: 99 }, { code: 'EXECUTION_ERROR' }],
  ])('answers a reset with %j by an error frame and goes on', async (reset, data) => {
    const generic = await client()
    expect(await generic.ask({ type: 'reset', data: reset })).toMatchObject({ type: 'error', data })
    expect(await generic.ask({ type: 'reset' })).toMatchObject({ type: 'observation' })
    await generic.close()
  })

  it('lists and calls tools before the first reset', async () => {
    const generic = await client()
    const { observation } = await generic.step({ type: 'list_tools' })
    expect((observation.tools as unknown[]).length).toBe(door.environments[0].tools.length)
    expect(await generic.call('list_loans', { member_id: 1 })).toMatchObject({ observation: { error: null } })
    await generic.close()
  })

  it('gives two connections worlds of their own, and a reset the first state again', async () => {
    const [one, two] = [await client({}), await client({})]
    const [task] = door.environments[0].tasks
    for (const { tool, arguments: args } of task?.gold.calls ?? []) await one.call(tool, args)
    const solved = await one.step({ type: 'verify' })
    await one.reply({ type: 'reset', data: {} })
    expect([solved.reward, (await two.step({ type: 'verify' })).reward]).toEqual([1, 0])
    expect((await one.step({ type: 'verify' })).reward).toBe(0)
    await Promise.all([one.close(), two.close()])
  })

  it('judges an answer', async () => {
    const generic = await client({ task_id: 'library-1/shelf' })
    const answer = door.environments[0].tasks[3]?.gold.answer ?? null
    expect(await generic.step({ type: 'verify', answer })).toMatchObject({ reward: 1, done: true })
    await generic.close()
  })
})

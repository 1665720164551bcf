import type { Environment, SqlStep, Task, Tool, ToolCall } from 'rlenv'
import { tinyScenario } from 'rlenv/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { JudgedRuns } from './judged-runs.ts'

const clock = '2026-03-01T09:00:00.000Z'

function tool(name: string, effect: Tool['effect'], properties: Tool['inputSchema'], steps: readonly SqlStep[]): Tool {
  return {
    name,
    summary: `${name}.`,
    description: `${name}.`,
    inputSchema: { type: 'object', properties, additionalProperties: false },
    outputSchema: {},
    effect,
    tables: [],
    errors: [],
    implementation: { kind: 'sql', steps },
  }
}

const text = { type: 'string' }
const number = { type: 'number' }
const tools: readonly Tool[] = [
  tool('open_order', 'write', { customer: text }, [
    {
      kind: 'row',
      sql: "SELECT 1 AS ok WHERE @customer <> ''",
      error: { code: 'no_customer', message: 'Name a customer.' },
    },
    { kind: 'run', sql: "INSERT INTO orders (customer, opened) VALUES (@customer, DATE('now'))" },
    { kind: 'row', sql: 'SELECT * FROM orders WHERE rowid = @rowid', error: { code: 'gone', message: 'Gone.' } },
  ]),
  tool('add_line', 'write', { order_id: { type: 'integer' }, item: text }, [
    { kind: 'run', sql: 'INSERT INTO lines (order_id, item) VALUES (@order_id, @item)' },
  ]),
  tool('charge', 'write', { amount: number }, [
    { kind: 'run', sql: 'UPDATE accounts SET balance = balance - @amount WHERE id = 1' },
  ]),
  tool('drop_order', 'write', { order_id: { type: 'integer' } }, [
    { kind: 'run', sql: 'DELETE FROM orders WHERE id = @order_id' },
  ]),
  tool('hand_over', 'write', { to: text, level: { type: 'integer', default: 1 } }, [
    { kind: 'run', sql: 'UPDATE accounts SET balance = balance WHERE 0 AND @to = @level' },
  ]),
  tool('balance', 'read', {}, [{ kind: 'rows', sql: 'SELECT balance FROM accounts' }]),
]

const environment: Environment = {
  id: 'desk',
  scenario: tinyScenario('desk'),
  seed: 1,
  database: {
    schema: `CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL, opened TEXT NOT NULL) STRICT;
      CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (id), item TEXT NOT NULL) STRICT;
      CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance REAL NOT NULL) STRICT;`,
    data: "INSERT INTO orders VALUES (1, 'Old', '2026-01-01'); INSERT INTO accounts VALUES (1, 100.0);",
    clock,
    annotations: { writer: { rounding: { 'accounts.balance': 2 } } },
  },
  tools,
  tasks: [],
  verifiers: {},
  scripts: {},
  files: {},
  provenance: [],
}

const call = (name: string, args: ToolCall['arguments'] = {}): ToolCall => ({ tool: name, arguments: args })
const taskOf = (calls: readonly ToolCall[], answer: Task['gold']['answer'] = null): Task => ({
  id: 'desk/t1',
  environmentId: 'desk',
  instruction: 'Do as asked.',
  kind: 'test',
  difficulty: 0,
  gold: { calls, answer },
  guidelines: [],
})

let desk: JudgedRuns
let lenient: JudgedRuns
beforeAll(async () => {
  desk = await JudgedRuns.of(environment)
  lenient = await JudgedRuns.of(environment, { partial: true })
})

async function passes(task: Task, calls: readonly ToolCall[], answer?: string): Promise<boolean | undefined> {
  return (await desk.judge(task, await desk.prepare(task), calls, answer))?.passed
}

describe('checks on rows', () => {
  const two = taskOf([
    call('open_order', { customer: 'Ana' }),
    call('open_order', { customer: 'Bo' }),
    call('add_line', { order_id: 2, item: 'pen' }),
    call('add_line', { order_id: 3, item: 'ink' }),
  ])
  test('hold for the same rows under other ids', async () => {
    const other = [
      call('open_order', { customer: 'Bo' }),
      call('add_line', { order_id: 2, item: 'ink' }),
      call('open_order', { customer: 'Ana' }),
      call('add_line', { order_id: 3, item: 'pen' }),
    ]
    expect(await passes(two, other)).toBe(true)
  })
  test('hold when a first insert failed, was undone, and left a gap in the ids', async () => {
    const first = taskOf([call('open_order', { customer: 'Ana' })])
    const detour = [
      call('open_order', { customer: '' }),
      call('open_order', { customer: 'Wrong' }),
      call('drop_order', { order_id: 2 }),
      call('open_order', { customer: 'Ana' }),
    ]
    expect(await passes(first, detour)).toBe(true)
  })
  test('do not hold when lines hang on the other order', async () => {
    const crossed = [...two.gold.calls.slice(0, 2), call('add_line', { order_id: 3, item: 'pen' })]
    expect(await passes(two, [...crossed, call('add_line', { order_id: 2, item: 'ink' })])).toBe(false)
  })
  test('do not hold when anything else changed', async () => {
    expect(await passes(two, [...two.gold.calls, call('charge', { amount: 1 })])).toBe(false)
    expect(await passes(two, [...two.gold.calls, call('open_order', { customer: 'Ana' })])).toBe(false)
  })
  test('compare money by the decimals that its author declared', async () => {
    const pay = taskOf([call('charge', { amount: 0.3 })])
    expect(await passes(pay, [call('charge', { amount: 0.1 }), call('charge', { amount: 0.2 })])).toBe(true)
    expect(await passes(pay, [call('charge', { amount: 0.31 })])).toBe(false)
  })
  test('tell which changes came about and which did not', async () => {
    const verdict = await desk.judge(two, await desk.prepare(two), two.gold.calls.slice(0, 2))
    expect(verdict).toMatchObject({ kind: 'failed', passed: false, score: 0.4 })
    expect(verdict?.evidence.map(({ name, passed }) => [name, passed])).toEqual([
      ['lines: insert as asked', false],
      ['lines: insert as asked', false],
      ['orders: insert as asked', true],
      ['orders: insert as asked', true],
      ['new rows are linked as asked', false],
      ['nothing else changed', true],
    ])
  })
  test('call a failed rollout partial only when told to, and never passed', async () => {
    const verdict = await lenient.judge(two, await lenient.prepare(two), two.gold.calls.slice(0, 2))
    expect(verdict).toMatchObject({ kind: 'partial', passed: false, score: 0.4 })
  })
  test('lower the score for changes that nobody asked for', async () => {
    const stray = [...two.gold.calls, call('charge', { amount: 5 })]
    expect((await desk.judge(two, await desk.prepare(two), stray))?.score).toBeCloseTo(4 / 5)
  })
})

describe('checks on calls', () => {
  const handOver = taskOf([call('charge', { amount: 5 }), call('hand_over', { to: 'a person' })])
  test('demand an act that leaves no trace in the database', async () => {
    expect(await passes(handOver, handOver.gold.calls)).toBe(true)
    expect(await passes(handOver, [call('charge', { amount: 5 })])).toBe(false)
    expect(await passes(handOver, [call('charge', { amount: 5 }), call('hand_over', { to: 'nobody' })])).toBe(false)
  })
  test('take a default for granted, whether it is left out or given', async () => {
    const spelt = [call('charge', { amount: 5 }), call('hand_over', { to: 'a person', level: 1 })]
    expect(await passes(handOver, spelt)).toBe(true)
    const other = [call('charge', { amount: 5 }), call('hand_over', { to: 'a person', level: 2 })]
    expect(await passes(handOver, other)).toBe(false)
  })
  test('do not count one call for two', async () => {
    const twice = taskOf([call('hand_over', { to: 'x' }), call('hand_over', { to: 'x' })])
    expect(await passes(twice, [call('hand_over', { to: 'x' })])).toBe(false)
    expect(await passes(twice, twice.gold.calls)).toBe(true)
  })
})

describe('checks on the answer', () => {
  const ask = taskOf([call('balance')], 100)
  test('want the value, and nothing that lists it among others', async () => {
    expect(await passes(ask, [call('balance')], '100.00')).toBe(true)
    expect(await passes(ask, [call('balance')], '99 100 101')).toBe(false)
    expect(await passes(ask, [call('balance')], 'Done.')).toBe(false)
  })
  test('do not hold when the question was answered and the world changed', async () => {
    expect(await passes(ask, [call('charge', { amount: 1 })], '100')).toBe(false)
  })
})

describe('stored checks', () => {
  test('are not made for a task that neither changes nor asks anything', async () => {
    await expect(desk.prepare(taskOf([call('balance')]))).rejects.toMatchObject({ code: 'RLENV_HOOK_EMPTY' })
  })
  test('that are damaged leave the rollout unscored, with the place', async () => {
    const task = taskOf([call('charge', { amount: 1 })])
    const damaged = { ...(await desk.prepare(task)), rounding: { 'accounts.balance': 'two' } }
    const verdict = await desk.judge(task, damaged, task.gold.calls)
    expect(verdict).toMatchObject({ kind: 'unscored', passed: false, reason: expect.stringContaining('rounding') })
  })
})

import type { Environment, Json, SqlStep, Task, Tool, ToolCall } from 'rlenv'
import { draftWorld } from 'rlenv'
import { tinyScenario } from 'rlenv/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { JudgedRuns } from './judged-runs.ts'

function write(name: string, properties: Tool['inputSchema'], ...steps: readonly SqlStep[]): Tool {
  return {
    name,
    summary: `${name}.`,
    description: `${name}.`,
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
    outputSchema: {},
    effect: 'write',
    tables: [],
    errors: [],
    implementation: { kind: 'sql', steps },
  }
}

const id = { type: 'integer' }
const text = { type: 'string' }

/** Ids come from counters that a failed or undone insert can move on; rows point at each other by them. */
const environment: Environment = {
  id: 'depot',
  scenario: tinyScenario('depot'),
  seed: 1,
  database: {
    schema: `CREATE TABLE parcels (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE stops (id INTEGER PRIMARY KEY AUTOINCREMENT, parcel_id INTEGER NOT NULL REFERENCES parcels (id), town TEXT NOT NULL) STRICT;
      CREATE TABLE notes (stop_id INTEGER NOT NULL REFERENCES stops (id), body TEXT NOT NULL) STRICT;`,
    data: "INSERT INTO parcels VALUES (1, 'old');",
    clock: '2026-03-01T09:00:00.000Z',
    annotations: {},
  },
  tools: [
    write('send', { label: text }, { kind: 'run', sql: 'INSERT INTO parcels (label) VALUES (@label)' }),
    write('unsend', { id }, { kind: 'run', sql: 'DELETE FROM parcels WHERE id = @id' }),
    write(
      'route',
      { parcel_id: id, town: text },
      {
        kind: 'run',
        sql: 'INSERT INTO stops (parcel_id, town) VALUES (@parcel_id, @town)',
      },
    ),
    write('note', { stop_id: id, body: text }, { kind: 'run', sql: 'INSERT INTO notes VALUES (@stop_id, @body)' }),
  ],
  tasks: [],
  verifiers: {},
  scripts: {},
  files: {},
  provenance: [],
}

const call = (tool: string, args: ToolCall['arguments']): ToolCall => ({ tool, arguments: args })
const delivery = (parcel: number, stop: number): readonly ToolCall[] => [
  call('send', { label: 'new' }),
  call('route', { parcel_id: parcel, town: 'Lund' }),
  call('note', { stop_id: stop, body: 'ring twice' }),
]
const task: Task = {
  id: 'depot/t1',
  environmentId: 'depot',
  instruction: 'Send a parcel labelled new by way of Lund, and note there to ring twice.',
  kind: 'test',
  difficulty: 0,
  gold: { calls: delivery(2, 1), answer: null },
  guidelines: [],
}

/** Attempts that fail or are taken back, so that the parcel and its stop get other ids than in the reference. */
const detour: readonly ToolCall[] = [
  call('send', { label: 'old' }),
  call('route', { parcel_id: 9, town: 'Lund' }),
  call('send', { label: 'wrong' }),
  call('unsend', { id: 2 }),
]

let depot: JudgedRuns
beforeAll(async () => {
  depot = await JudgedRuns.of(environment)
})

const passes = async (calls: readonly ToolCall[]) => (await depot.judge(task, await depot.prepare(task), calls))?.passed

describe('two correct runs of which one has a failed first insert', () => {
  test('leave other ids behind and are both right', async () => {
    const { database, tools, scripts, seed } = environment
    const instance = draftWorld({ database, toolset: { tools, scripts }, seed }).open()
    const results: boolean[] = []
    for (const { tool, arguments: args } of [...detour, ...delivery(3, 1)]) {
      const { result } = await instance.call(tool, args as Json, new AbortController().signal)
      results.push(result.ok)
    }
    const ids = (await instance.capture())?.final.rows('parcels').map((row) => row.id)
    await instance.close()
    expect(results).toEqual([false, false, true, true, true, true, true])
    expect(ids).toEqual([1, 3])
    expect(await passes(task.gold.calls)).toBe(true)
    expect(await passes([...detour, ...delivery(3, 1)])).toBe(true)
  })

  test('are told from one whose rows point at others', async () => {
    const misrouted = [...detour, call('send', { label: 'new' }), call('route', { parcel_id: 1, town: 'Lund' })]
    expect(await passes([...misrouted, call('note', { stop_id: 1, body: 'ring twice' })])).toBe(false)
    expect(await passes([...detour, ...delivery(3, 1).slice(0, 2)])).toBe(false)
    expect(await passes([...detour.slice(0, 3), ...delivery(3, 1)])).toBe(false)
  })
})

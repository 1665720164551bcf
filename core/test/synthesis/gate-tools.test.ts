import { describe, expect, test } from 'vitest'
import type { ToolReport } from '../../src/synthesis/gate/gate-report.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { reservedToolNames } from '../../src/vocabulary/environment.ts'
import type { SqlStep, Tool } from '../../src/vocabulary/tool.ts'
import { gateOf, withTool } from './gate-of.ts'

const sql = (...steps: SqlStep[]): Tool['implementation'] => ({ kind: 'sql', steps })
const rows = (text: string): SqlStep => ({ kind: 'rows', sql: text })
const run = (text: string): SqlStep => ({ kind: 'run', sql: text })
const noArguments = { type: 'object', properties: {} }

async function toolReport(tool: Partial<Tool> & Pick<Tool, 'name'>): Promise<ToolReport> {
  const report = await gateOf(withTool(tool))
  return report.tools.find(({ name }) => name === tool.name)!
}

describe('the gate on a database', () => {
  test('names every broken foreign key with its table and row', async () => {
    const tiny = tinyEnvironment()
    const data = `${tiny.database.data}INSERT INTO loans VALUES (7, 99, 1, 'active', '2026-04-20');`
    const report = await gateOf({ ...tiny, database: { ...tiny.database, data } })
    expect(report).toMatchObject({ status: 'invalid', tools: [], tasks: [], verifierKillRate: null })
    expect(report.findings).toEqual([
      {
        code: 'database_invalid',
        message: expect.stringContaining('loans rowid 7: loans.member_id refers to no row of members'),
      },
    ])
  })

  test('reports a key to a column that is not unique next to an orphan elsewhere', async () => {
    const tiny = tinyEnvironment()
    const schema = `${tiny.database.schema}
      CREATE TABLE zones (id INTEGER PRIMARY KEY, label TEXT);
      CREATE TABLE gates (id INTEGER PRIMARY KEY, zone TEXT REFERENCES zones (label));`
    const data = `${tiny.database.data}INSERT INTO loans VALUES (7, 1, 99, 'active', '2026-04-20');`
    const [finding] = (await gateOf({ ...tiny, database: { ...tiny.database, schema, data } })).findings
    expect(finding?.message).toContain('zones.label is neither a primary key nor UNIQUE')
    expect(finding?.message).toContain('loans.book_id refers to no row of books')
  })
})

describe('the gate on tools', () => {
  test.each([...reservedToolNames, '__internal'])('refuses the reserved name %s', async (name) => {
    expect(await toolReport({ name })).toMatchObject({
      status: 'invalid',
      findings: [{ code: 'tool_reserved_name', message: `"${name}" is a name that the control side keeps for itself` }],
    })
  })

  test.each<[string, SqlStep, RegExp]>([
    ['text in double quotes', rows('SELECT * FROM members WHERE name = "Ana"'), /Ana/],
    ['two statements in one step', run('UPDATE books SET copies = 1; DELETE FROM loans'), /statement/],
    ['a column that is not there', rows('SELECT nothing_such FROM members'), /no such column: nothing_such/],
    ['a parameter that nothing sets', rows('SELECT * FROM members WHERE id = @who'), /@who/],
    ['a function that is not allowed', rows("SELECT load_extension('x')"), /load_extension/],
  ])('refuses %s by running every statement in the real driver', async (_what, step, message) => {
    const effect = step.kind === 'run' ? 'write' : 'read'
    const report = await toolReport({ name: 'made_up', effect, inputSchema: noArguments, implementation: sql(step) })
    expect(report).toMatchObject({ status: 'invalid', calls: 0, findings: [{ code: 'tool_refused' }] })
    expect(report.findings[0]?.message).toMatch(message)
  })

  test('accepts a statement with a trailing comment', async () => {
    const implementation = sql(rows('SELECT * FROM members ; -- all of them'))
    const outputSchema = { type: 'array' }
    expect(await toolReport({ name: 'all', inputSchema: noArguments, outputSchema, implementation })).toMatchObject({
      status: 'valid',
    })
  })

  test('checks the tools that compile beside one that does not', async () => {
    const report = await gateOf(withTool({ name: 'reset' }))
    expect(report.status).toBe('invalid')
    expect(report.tools.filter(({ status }) => status === 'valid')).toHaveLength(8)
    expect(report.tasks.map(({ status }) => status)).toEqual(['valid', 'valid', 'valid', 'valid'])
  })

  test('refuses a second tool of the same name', async () => {
    const tiny = tinyEnvironment()
    const report = await gateOf({ ...tiny, tools: [...tiny.tools, tiny.tools[0]!] })
    expect(report.status).toBe('invalid')
  })

  test('refuses a result that does not fit the output schema', async () => {
    const implementation = sql(rows('SELECT id, title FROM books'))
    const outputSchema = { type: 'array', items: { type: 'object', required: ['shelf'] } }
    expect(await toolReport({ name: 'titles', inputSchema: noArguments, outputSchema, implementation })).toMatchObject({
      status: 'invalid',
      findings: [{ code: 'tool_result_misfit', message: expect.stringContaining('/0/shelf') }],
    })
  })

  test('refuses a read tool that never finds anything', async () => {
    const error = { code: 'gone', message: 'It is gone.' }
    const implementation = sql({ kind: 'row', sql: 'SELECT * FROM members WHERE id < 0', error })
    expect(await toolReport({ name: 'lost', inputSchema: noArguments, errors: [error], implementation })).toMatchObject(
      {
        status: 'invalid',
        succeeded: 0,
        findings: [
          {
            code: 'tool_never_succeeded',
            message: expect.stringMatching(/none of 16 calls succeeded; last: It is gone\./),
          },
        ],
      },
    )
  })

  test('accepts a write tool that only reports an error it declares, and refuses one that reports another', async () => {
    const error = { code: 'closed', message: 'The desk is closed.' }
    const step: SqlStep = { kind: 'run', sql: 'UPDATE books SET copies = 0 WHERE id < 0', error }
    const write = { name: 'stocktake', effect: 'write', inputSchema: noArguments, implementation: sql(step) } as const
    expect(await toolReport({ ...write, errors: [error] })).toMatchObject({ status: 'valid', succeeded: 0 })
    expect(await toolReport({ ...write, errors: [] })).toMatchObject({
      status: 'invalid',
      findings: [{ code: 'tool_never_succeeded' }],
    })
  })

  test('finds an argument whose name leads to no column among the texts of the tool’s tables', async () => {
    const inputSchema = { type: 'object', properties: { wanted: { type: 'string' } }, required: ['wanted'] }
    const error = { code: 'none', message: 'None.' }
    const implementation = sql({ kind: 'row', sql: 'SELECT * FROM books WHERE title = @wanted', error })
    expect(
      await toolReport({ name: 'by_title', inputSchema, errors: [error], tables: ['books'], implementation }),
    ).toMatchObject({ status: 'valid' })
  })

  test('reports, without refusing it, a write that succeeds and changes nothing', async () => {
    const inputSchema = {
      type: 'object',
      properties: { member_id: { type: 'integer' }, name: { type: 'string' } },
      required: ['member_id'],
    }
    const implementation = sql(run('UPDATE members SET name = @name WHERE id = @member_id AND @name IS NOT NULL'))
    const outputSchema = { type: 'object' }
    expect(
      await toolReport({ name: 'rename', effect: 'write', inputSchema, outputSchema, implementation }),
    ).toMatchObject({
      status: 'valid',
      findings: [
        {
          code: 'tool_silent',
          message: expect.stringMatching(/^rename\(\{"member_id":\d+\}\) succeeds and changes nothing$/),
        },
      ],
    })
  })

  test('accepts a tool that takes queries, whatever a random agent writes into it', async () => {
    const inputSchema = { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] }
    const query = { name: 'query', effect: 'read', inputSchema, outputSchema: { type: 'array' }, errors: [] } as const
    const report = await gateOf(withTool({ ...query, implementation: { kind: 'query', argument: 'sql' } }))
    expect(report).toMatchObject({ status: 'valid', findings: [] })
    expect(report.tools.find(({ name }) => name === 'query')).toMatchObject({ status: 'valid', calls: 1, succeeded: 1 })
    expect(await toolReport({ ...query, implementation: { kind: 'query', argument: 'text' } })).toMatchObject({
      status: 'invalid',
      findings: [{ code: 'tool_refused', message: 'takes its query from text, which is no argument' }],
    })
  })
})

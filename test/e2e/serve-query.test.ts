import { type Environment, writeBundle } from 'rlenv'
import { tinyEnvironment } from 'rlenv/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project } from './project.ts'
import { type Asked, inProcess, mcpHttp, mcpStdio, openEnv, type Told } from './query-doors.ts'

const config = `import { defineConfig } from 'rlenv'
import { tinyPlugin } from 'rlenv/testing'
export default defineConfig({ plugins: [tinyPlugin()] })
`
const project = new Project({ 'rlenv.config.mjs': config })

type Tool = Environment['tools'][number]

function queryTool(name: string, bounds: object): Tool {
  const properties = { sql: { type: 'string', description: 'One SELECT' } }
  return {
    name,
    summary: 'Ask in SQL',
    description: 'Runs one SELECT on members, books and loans.',
    inputSchema: { type: 'object', properties, required: ['sql'] },
    outputSchema: { type: 'array' },
    effect: 'read',
    tables: ['books', 'loans', 'members'],
    errors: [],
    implementation: { kind: 'query', argument: 'sql', ...bounds },
  }
}

const library = tinyEnvironment()
const environment: Environment = {
  ...library,
  tools: [
    ...library.tools,
    queryTool('query', { limit: 3, visits: 1_000 }),
    queryTool('hurried_query', { visits: 1_000_000_000, deadlineMs: 50 }),
  ],
}
beforeAll(() => writeBundle(environment, project.path('bundles', environment.id)))
afterAll(() => project.remove())

const query = (sql: string, tool = 'query'): Asked => ({ tool, arguments: { sql } })
const dueOn = query('SELECT due_on FROM loans WHERE id = 1')
const everyPairOf = (tables: number) =>
  `SELECT count(*) FROM ${Array.from({ length: tables }, (_, index) => `books b${index}`).join(', ')}`

const calls: readonly Asked[] = [
  dueOn,
  { tool: 'extend_loan', arguments: { loan_id: 1, days: 3 } },
  dueOn,
  query('SELECT id FROM books ORDER BY id'),
  query("SELECT 'ü' AS text, 1.5 AS number, 9007199254740993 AS large, NULL AS missing, x'00ff' AS bytes"),
  query('SELECT nobody FROM members'),
  query('DELETE FROM loans'),
  query('SELECT 1; SELECT 2'),
  query("SELECT json_extract(title, '$') FROM books"),
  query(everyPairOf(4)),
  query(everyPairOf(9), 'hurried_query'),
  query(`SELECT '${'x'.repeat(4_000)}'`),
  { tool: 'query', arguments: {} },
  { tool: 'query', arguments: { sql: 7 } },
  dueOn,
]

let expected: readonly Told[]
beforeAll(async () => {
  expected = await inProcess(project, environment, calls)
})

test('in process a query sees what was written, and what is wrong with it is the business of who wrote it', () => {
  const codes = expected.map(({ error }) => error?.code ?? null)
  expect(codes).toEqual([
    ...[null, null, null, null, null],
    ...['invalid_query', 'invalid_query', 'invalid_query', 'statement_failed', 'query_too_large', 'query_timeout'],
    ...['invalid_arguments', 'invalid_arguments', 'invalid_arguments', null],
  ])
  const kinds = new Set(expected.flatMap(({ error }) => error?.kind ?? []))
  expect([...kinds]).toEqual(['business_rejection', 'invalid_arguments'])
  expect(expected[0]).not.toEqual(expected[2])
  expect(expected.at(-1)).toEqual(expected[2])
  expect(expected[3]?.said).toContain('only the first 3 rows are shown; there are more')
})

describe.each([0, 1])('with %s workers a query tool answers as in process', (workers) => {
  test.each([
    ['MCP over HTTP', mcpHttp(workers)],
    ['MCP over stdio', mcpStdio(workers)],
    ["OpenEnv's generic dialect", openEnv('generic', workers)],
    ["OpenEnv's AWM dialect", openEnv('awm', workers)],
  ])('over %s', async (_name, door) => {
    expect(await door(project, environment, calls)).toEqual(expected)
  })
})

test('a server whose calls have less time than a query may take does not start, and says what to set', async () => {
  const flags = ['--bundle', 'bundles', '--set', 'rollout.toolTimeoutMs=1500', '--workers', '1']
  expect(await project.failure(['serve', ...flags], 2)).toMatchObject({
    code: 'RLENV_CONFIG_INVALID',
    message: expect.stringContaining('a query of the tool query of tiny-library may take 1000 ms'),
    fix: expect.stringContaining('rollout.toolTimeoutMs'),
  })
})

import { loadEnvironment, type Tool } from 'rlenv'
import type { Metric } from '../metric.ts'
import { elapsed, median, metric } from './engine-bench.ts'
import { benchEnvironment } from './fixture.ts'

const deadlineMs = 50

const queryTool: Tool = {
  name: 'query',
  summary: 'query',
  description: 'query',
  inputSchema: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
  outputSchema: {},
  effect: 'read',
  tables: [],
  errors: [],
  implementation: { kind: 'query', argument: 'sql', deadlineMs, visits: Number.MAX_SAFE_INTEGER },
}

const rows = 2_000

const table = `CREATE TABLE visits (id INTEGER PRIMARY KEY, page TEXT NOT NULL, seconds INTEGER NOT NULL, at TEXT NOT NULL);
CREATE INDEX visits_by_seconds ON visits (seconds);`

const data = `INSERT INTO visits VALUES ${Array.from({ length: rows }, (_, row) => {
  return `(${row}, 'page ${(row * 7_919) % rows} of the site', ${row % 40}, '2026-01-01 10:00:${10 + (row % 50)}')`
}).join(', ')};`

/** Sorts of more and more rows: some are ended while they gather them, some when they have sorted them. */
const sorts = [1, 5, 10, 20, 40, 80, 400].map(
  (many) => `SELECT a.page FROM visits a, visits b WHERE b.id < ${many} ORDER BY a.page || b.page DESC`,
)

const runaways = [
  'SELECT count(*) AS n FROM visits a, visits b, visits c',
  'SELECT count(*) AS n FROM visits a JOIN visits b ON a.seconds = b.seconds JOIN visits c ON b.seconds = c.seconds',
  'SELECT a.id FROM visits a, visits b WHERE a.id + b.id < 0',
  'SELECT a.id, (SELECT count(*) FROM visits b, visits c WHERE b.seconds < a.seconds) AS n FROM visits a',
  "SELECT count(*) AS n FROM visits a, visits b WHERE a.page LIKE '%9%site%' OR b.page LIKE '%8%site%'",
  'SELECT a.page, sum(b.seconds) AS s FROM visits a, visits b GROUP BY a.page, b.page ORDER BY s',
  'SELECT DISTINCT a.seconds / 100 AS none FROM visits a, visits b, visits c',
  "SELECT max(date(a.at, '+' || b.seconds || ' days')) AS last FROM visits a, visits b",
  'WITH slow AS MATERIALIZED (SELECT id, seconds FROM visits) SELECT count(*) AS n FROM visits a WHERE (SELECT count(*) FROM slow WHERE slow.seconds < a.seconds) >= 0 AND (SELECT count(*) FROM visits b, visits c WHERE b.id = a.id) > 0',
]

/** E23: how long after its deadline a query that a policy wrote is over, vetting included. */
export function queryMetric(rounds: number): Metric {
  const { database, ...rest } = benchEnvironment()
  const grown = { ...database, schema: `${database.schema}\n${table}`, data: `${database.data}\n${data}` }
  const executable = loadEnvironment({ ...rest, database: grown, tools: [queryTool] })
  const instance = executable.open({ seed: 0 })
  const ask = (sql: string) => elapsed(() => void instance.call('query', { sql }))
  ask('SELECT 1 AS one')
  const times = Array.from({ length: rounds }, () => [...runaways, ...sorts].map(ask)).flat()
  instance.close()
  executable.close()
  const over = times.map((ms) => ms - deadlineMs).filter((ms) => ms > 0)
  const what = `overshoot of a ${deadlineMs} ms deadline by SQL that a policy writes, worst of ${over.length}; median ${median(over).toFixed(1)} ms`
  return metric('E23', what, 'ms', Math.max(...over), null, 10)
}

import { afterAll, expect, test } from 'vitest'
import { database, environment, queryTool } from '../workshop.ts'

/** Views that name the database, or call one of their tables as it is called. */
const views: Readonly<Record<string, string>> = {
  'the database before a table': 'SELECT id, name FROM main.people',
  'the database in quotes of every kind': `SELECT a.id FROM "main".people a JOIN [main].people b ON a.id = b.id, 'main'.people AS c WHERE c.id = 1`,
  'the database before the table of a column': 'SELECT main.people.name FROM main.people',
  'a table called main': 'SELECT main.id, main.name FROM people AS main WHERE main.id > 1',
  'a table called main and the database': 'SELECT main.id, main.main.name FROM main.people AS main',
  'both in a list of tables': 'SELECT o.id FROM people AS o, people AS main, main.people AS p WHERE p.id = main.id',
  'a table called main in lists of values':
    'SELECT o.id FROM people o JOIN people AS main ON o.id IN (main.id, 2) AND coalesce(o.id, main.id) = 1 ORDER BY o.id, main.id',
  'a table called main that is compared':
    'SELECT o.id FROM people o, people AS main WHERE o.id IS NOT DISTINCT FROM main.id',
  'tables in brackets': 'SELECT a.id FROM (main.people a CROSS JOIN main.people b) WHERE b.id = 2',
  'a nested query on the database':
    'SELECT main.id FROM people AS main WHERE main.id IN (SELECT id FROM main.people WHERE id < 3)',
  'a list of one column': 'SELECT 2 IN main.ids AS found',
}
const names = Object.keys(views).map((_, at) => `v${at}`)

const world = environment(
  database(
    `CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE ids (id INTEGER PRIMARY KEY);
    ${Object.values(views)
      .map((sql, at) => `CREATE VIEW v${at} AS ${sql};`)
      .join('\n')}`,
    "INSERT INTO people VALUES (1, 'Ana'), (2, 'Bo'), (3, 'Chen'); INSERT INTO ids VALUES (2);",
  ),
  [queryTool(), { ...queryTool({ visits: 0 }), name: 'counting' }],
)
const instance = world.open({ seed: 1 })
afterAll(() => world.close())

test.each(Object.keys(views).map((what, at) => [what, names[at] as string]))(
  'a view that writes %s reads the same in a query, and its rows are counted',
  (_what, name) => {
    const sql = `SELECT * FROM ${name}`
    const content = world.initial.query(sql)
    expect(content.length).toBeGreaterThan(0)
    expect(instance.call('query', { sql }).result).toEqual({ ok: true, content })
    expect(instance.call('counting', { sql }).result).toMatchObject({ ok: false, error: { code: 'query_too_large' } })
  },
)

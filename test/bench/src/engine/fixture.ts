import { type Environment, type JsonObject, RandomStream, type SqlStep, type Tool, type ToolCall } from 'rlenv'
import { tinyScenario } from 'rlenv/testing'

const tables = 16
const rowsPerTable = 24
const statuses = ['open', 'held', 'done']

const tableName = (index: number) => `entity_${index}`

function tableDdl(index: number): string {
  const parent = index === 0 ? '' : `, parent_id INTEGER REFERENCES ${tableName(Math.floor(index / 2))} (id)`
  const name = tableName(index)
  return `CREATE TABLE ${name} (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, status TEXT NOT NULL, amount INTEGER NOT NULL, price REAL, created_at TEXT DEFAULT CURRENT_TIMESTAMP${parent});
CREATE INDEX ${name}_status ON ${name} (status);`
}

/** 16 tables, 18 indexes, foreign keys, AUTOINCREMENT. */
const benchSchema = [
  ...Array.from({ length: tables }, (_, index) => tableDdl(index)),
  `CREATE INDEX by_amount ON ${tableName(1)} (amount); CREATE INDEX by_name ON ${tableName(2)} (name);`,
].join('\n')

function tableRows(index: number, random: RandomStream): string {
  const rows = Array.from({ length: rowsPerTable }, (_, row) => {
    const parent = index === 0 ? '' : `, ${1 + random.int(rowsPerTable)}`
    return `(${row + 1}, 'name of row ${row} in ${index}', '${random.pick(statuses)}', ${random.int(1000)}, ${random.int(100)}.25, '2026-01-01 10:00:00'${parent})`
  })
  return `INSERT INTO ${tableName(index)} VALUES ${rows.join(', ')};`
}

const benchData = Array.from({ length: tables }, (_, index) =>
  tableRows(index, RandomStream.of(1, 'rows', index)),
).join('\n')

const gone = { code: 'not_found', message: 'There is no such row.' }
const integer = { type: 'integer', minimum: 1 }

function tool(name: string, effect: Tool['effect'], properties: JsonObject, steps: readonly SqlStep[]): Tool {
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) }
  return {
    name,
    summary: name,
    description: name,
    inputSchema,
    outputSchema: {},
    effect,
    tables: [],
    errors: [gone],
    implementation: { kind: 'sql', steps },
  }
}

const byId = (table: string): SqlStep => ({ kind: 'row', sql: `SELECT * FROM ${table} WHERE id = @id`, error: gone })

/** Two reading tools of one table: one row, and up to 20 rows of a join. */
function readers(index: number): Tool[] {
  const table = tableName(index)
  const parent = tableName(Math.floor(index / 2))
  const list = `SELECT c.id, c.name, c.amount, p.name AS parent FROM ${table} c JOIN ${parent} p ON p.id = c.parent_id WHERE c.status = @status ORDER BY c.id LIMIT 20`
  return [
    tool(`get_${table}`, 'read', { id: integer }, [byId(table)]),
    tool(`list_${table}`, 'read', { status: { type: 'string', enum: statuses } }, [{ kind: 'rows', sql: list }]),
  ]
}

/** Three writing tools of one table, of one to three steps. */
function writers(index: number): Tool[] {
  const table = tableName(index)
  const added = 'INSERT INTO %t (name, status, amount, price, parent_id) VALUES (@name, @status, 0, 1.5, @id)'.replace(
    '%t',
    table,
  )
  return [
    tool(`add_${table}`, 'write', { id: integer, name: { type: 'string' }, status: { type: 'string' } }, [
      byId(tableName(Math.floor(index / 2))),
      { kind: 'run', sql: added },
      { kind: 'row', sql: `SELECT * FROM ${table} WHERE id = @rowid`, error: gone },
    ]),
    tool(`mark_${table}`, 'write', { id: integer, status: { type: 'string' } }, [
      byId(table),
      { kind: 'run', sql: `UPDATE ${table} SET status = @status WHERE id = @id`, error: gone },
    ]),
    tool(`raise_${table}`, 'write', { id: integer }, [
      { kind: 'run', sql: `UPDATE ${table} SET amount = amount + 1 WHERE id = @id` },
    ]),
  ]
}

const reading = Array.from({ length: 10 }, (_, index) => readers(index + 1)).flat()
const writing = Array.from({ length: 5 }, (_, index) => writers(index + 1)).flat()

/** 20 reading and 15 writing tools. */
export const benchTools: readonly Tool[] = [...reading, ...writing]

function callOf({ name, inputSchema }: Tool, random: RandomStream): ToolCall {
  const properties = inputSchema.properties as JsonObject
  const values: JsonObject = {
    id: 1 + random.int(rowsPerTable),
    status: random.pick(statuses),
    name: `row ${random.int(1000)}`,
  }
  return { tool: name, arguments: Object.fromEntries(Object.keys(properties).map((key) => [key, values[key] ?? null])) }
}

/** Plans of 10 to 20 calls, 70 % of them reading. */
export function benchPlans(count: number): readonly (readonly ToolCall[])[] {
  return Array.from({ length: count }, (_, plan) => {
    const random = RandomStream.of(2, 'plan', plan)
    const calls = 10 + random.int(11)
    return Array.from({ length: calls }, () => callOf(random.pick(random.chance(0.7) ? reading : writing), random))
  })
}

const benchClock = '2026-01-01T10:00:00.000Z'

/** Reads 20 rows, or one, from a script. */
const listScript = `export default function (db: any, args: { n: number }) {
  const rows = db.all('SELECT * FROM entity_1 WHERE id <= @n ORDER BY id', { n: args.n })
  return rows.filter((row: any) => row.amount >= 0).map((row: any) => ({ id: row.id, name: row.name, amount: row.amount }))
}`

const scriptTool: Tool = {
  ...tool('script_list', 'read', { n: integer }, []),
  implementation: { kind: 'script', file: 'tools/script_list.ts' },
}

export function benchEnvironment(withScript = false): Environment {
  return {
    id: 'bench',
    scenario: tinyScenario('bench'),
    seed: 1,
    database: { schema: benchSchema, data: benchData, clock: benchClock, annotations: {} },
    tools: withScript ? [...benchTools, scriptTool] : benchTools,
    tasks: [],
    verifiers: {},
    scripts: withScript ? { 'tools/script_list.ts': listScript } : {},
    files: {},
    provenance: [],
  }
}

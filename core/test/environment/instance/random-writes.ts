import type { RandomStream } from '../../../src/determinism/random-stream.ts'
import { RlenvError } from '../../../src/errors/rlenv-error.ts'
import { intricateEnvironment } from '../../../src/testing/intricate-environment.ts'
import type { DatabaseDraft } from '../../../src/vocabulary/database.ts'
import type { Environment } from '../../../src/vocabulary/environment.ts'
import type { Tool } from '../../../src/vocabulary/tool.ts'
import { database, environment, sqlTool } from '../workshop.ts'

const tables = ['a', 'b'] as const
const keys = ['k INTEGER PRIMARY KEY', 'k TEXT PRIMARY KEY', 'k TEXT PRIMARY KEY', 'k']

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

/** Tables whose rows SQLite comes to in one order by their key and in others by their indexes. */
function tableOf(random: RandomStream, name: string, parent: string | null): string {
  const at = random.int(keys.length)
  const conflict = random.pick(['', '', '', ' ON CONFLICT IGNORE', ' ON CONFLICT REPLACE'])
  const unique = random.chance(0.7) ? `, UNIQUE (u)${conflict}` : ''
  const nulled = `ON DELETE ${random.pick(['SET NULL', 'CASCADE'])} ON UPDATE ${random.pick(['SET NULL', 'CASCADE'])}`
  const own = at < 2 && random.chance(0.15) ? `, FOREIGN KEY (g) REFERENCES ${name} (k) ${nulled}` : ''
  const other = parent !== null && random.chance(0.3) ? `, FOREIGN KEY (k) REFERENCES ${parent} (k) ${nulled}` : ''
  const drawn = random.chance(0.4) ? 'DEFAULT (random() % 50)' : 'DEFAULT 7'
  const columns = `${keys[at]}, u INTEGER, g INTEGER, v INTEGER ${drawn} CHECK (v < 200)`
  const rest = at === 2 ? ') WITHOUT ROWID' : ')'
  const index = random.chance(0.7) ? `CREATE INDEX ${name}_g ON ${name} (g${random.pick(['', ' DESC', ', v'])});` : ''
  return `CREATE TABLE ${name} (${columns}${unique}${own}${other}${rest}; ${index}`
}

function subquery(random: RandomStream): string {
  const table = random.pick(tables)
  const one = ['count(*)', 'max(v)', 'min(u)', 'max(u) + 1', 'sum(g)']
  return `(SELECT ${random.pick(one)} FROM ${table}${random.pick(['', ' AS o WHERE o.g > g'])})`
}

function value(random: RandomStream): string {
  if (random.chance(0.12)) return subquery(random)
  if (random.chance(0.08)) return 'random() % 20'
  return random.pick(['@n', 'u + 1', 'v + @n', 'g', '-v', 'v % 3', '10 - u', 'abs(u)'])
}

function condition(random: RandomStream): string {
  if (random.chance(0.08)) return 'random() % 2 = 0'
  if (random.chance(0.08)) return `v > ${subquery(random)}`
  return random.pick(['g = @n', 'g >= @n', 'g IN (@n, 1)', 'v > @n', 'u < 9', 'u = @n', 'k = @n', 'abs(v) > 2'])
}

function where(random: RandomStream): string {
  if (random.chance(0.15)) return ' WHERE 1'
  return ` WHERE ${condition(random)}${random.chance(0.3) ? `${random.pick([' AND ', ' OR '])}${condition(random)}` : ''}`
}

const conflicts = ['', '', '', ' OR IGNORE', ' OR REPLACE']

function update(random: RandomStream): string {
  const columns = random.shuffle(['u', 'v', 'g', 'v', 'k']).slice(0, 1 + random.int(2))
  const set = [...new Set(columns)].map((column) => `${column} = ${value(random)}`).join(', ')
  return `UPDATE${random.pick(conflicts)} ${random.pick(tables)} SET ${set}${where(random)}`
}

function insert(random: RandomStream): string {
  const table = random.pick(tables)
  const upsert = random.chance(0.25) ? ` ON CONFLICT DO UPDATE SET ${random.pick(['v', 'u', 'k', 'g'])} = @n` : ''
  const into = `INSERT${upsert === '' ? random.pick(conflicts) : ''} INTO ${table}`
  if (random.chance(0.2)) return `${into} SELECT * FROM ${random.pick(tables)}`
  if (random.chance(0.4)) {
    const row = () => `(@n + ${random.int(30)}, ${random.pick(['@n', 'NULL', 'random() % 15'])}, ${random.int(4)})`
    return `${into} (k, u, g) VALUES ${times(1 + random.int(3), row).join(', ')}${upsert}`
  }
  const values = `${random.pick(['k', "k || 'x'", 'k + 100'])}, ${value(random)}, ${value(random)}`
  return `${into} (k, u, g) SELECT ${values} FROM ${random.pick(tables)}${where(random)} LIMIT 12${upsert}`
}

function write(random: RandomStream): string {
  const verb = random.int(5)
  if (verb < 2) return update(random)
  return verb < 4 ? insert(random) : `DELETE FROM ${random.pick(tables)}${where(random)}`
}

function trigger(random: RandomStream): string {
  const event = random.pick(['INSERT', 'UPDATE', 'DELETE', 'UPDATE OF v'])
  const body = write(random).replaceAll('@n', '3')
  return `CREATE TRIGGER fired ${random.pick(['AFTER', 'BEFORE'])} ${event} ON ${random.pick(tables)} BEGIN ${body}; END;`
}

function draft(random: RandomStream): DatabaseDraft {
  const parts = [tableOf(random, 'a', null), tableOf(random, 'b', 'a')]
  if (random.chance(0.25)) parts.push(trigger(random))
  const row = (table: string, at: number) => {
    const values = [at, random.pick(['NULL', at, random.int(20)]), random.pick(['NULL', random.int(at + 1)])]
    return `INSERT OR IGNORE INTO ${table} VALUES (${[...values, random.int(20)].join(', ')});`
  }
  const data = tables.flatMap((table) => times(random.int(9), (at) => row(table, at)))
  return database(parts.join('\n'), data.join('\n'))
}

/** The first database that can be loaded: not every foreign key has something to refer to. */
function loadable(random: RandomStream): DatabaseDraft {
  for (;;) {
    const drawn = draft(random)
    try {
      environment(drawn)
      return drawn
    } catch (thrown) {
      if (!(thrown instanceof RlenvError)) throw thrown
    }
  }
}

const n = { type: 'integer', minimum: 0, maximum: 12 } as const

/** An environment of writes that nobody has thought of, as far as they are admitted. */
export function randomWrites(random: RandomStream): Environment {
  const drawn = loadable(random)
  const { registry } = environment(drawn)
  const admitted = times(30, () => write(random)).filter((sql) => registry.admit(sql).ok)
  const tools = admitted.map((sql, index): Tool => {
    return sqlTool(`write_${index}`, sql.includes('@n') ? { n } : {}, [{ kind: 'run', sql }])
  })
  const look = tables.map((table) => sqlTool(`look_${table}`, {}, [{ kind: 'rows', sql: `SELECT * FROM ${table}` }]))
  return { ...intricateEnvironment(), database: drawn, tools: [...tools, ...look], scripts: {} }
}

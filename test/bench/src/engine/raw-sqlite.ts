import type { ExecutableEnvironment, ToolCall } from 'rlenv'
import { benchTools } from './fixture.ts'

type Database = ExecutableEnvironment['base']['database']
type Statement = ReturnType<Database['prepare']>
type Bindings = Record<string, bigint | string | null>

/** Opens a database without anything of ours around it. */
export type OpenRaw = (bytes: Buffer | ':memory:') => Database

/** The driver itself, reached through an open database, so that the benchmark needs no dependency of its own. */
export function rawOpener(executable: ExecutableEnvironment): OpenRaw {
  const Driver = executable.base.database.constructor as new (source: Buffer | string) => Database
  return (bytes) => new Driver(bytes)
}

interface RawStep {
  readonly kind: 'row' | 'rows' | 'run'
  readonly statement: Statement
}

/** The SQL of tools on one connection with prepared statements: no validation, no JSON, no diff. */
export class RawTools {
  readonly #steps = new Map<string, readonly RawStep[]>()

  constructor(database: Database) {
    for (const { name, implementation } of benchTools) {
      if (implementation.kind !== 'sql') continue
      const steps = implementation.steps.flatMap((step): RawStep[] => {
        return step.kind === 'require' ? [] : [{ kind: step.kind, statement: database.prepare(step.sql) }]
      })
      this.#steps.set(name, steps)
    }
  }

  /** Arguments as the driver takes them, made before the clock starts. */
  static bindings({ arguments: args }: ToolCall): Bindings {
    return Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, typeof value === 'number' ? BigInt(value) : String(value)]),
    )
  }

  run(tool: string, bindings: Bindings): void {
    for (const { kind, statement } of this.#steps.get(tool) ?? []) {
      if (kind === 'row') statement.get(bindings)
      else if (kind === 'rows') statement.all(bindings)
      else bindings.rowid = BigInt(statement.run(bindings).lastInsertRowid)
    }
  }
}

/** Compares two whole databases row by row, as one would without knowing what was written. Returns the rows that differ. */
export function rawDiff(before: Database, after: Database, tables: readonly string[]): number {
  let different = 0
  for (const table of tables) {
    const rows = (database: Database) =>
      database.prepare(`SELECT rowid, * FROM ${table}`).safeIntegers().raw().all() as readonly unknown[][]
    const old = new Map(rows(before).map((row) => [row[0], row]))
    for (const row of rows(after)) {
      const previous = old.get(row[0])
      if (previous === undefined || row.some((value, index) => value !== previous[index])) different++
      old.delete(row[0])
    }
    different += old.size
  }
  return different
}

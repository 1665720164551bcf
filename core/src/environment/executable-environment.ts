import { contentHash } from '../determinism/content-hash.ts'
import type { StateReader } from '../hooks/world.ts'
import type { DatabaseDraft } from '../vocabulary/database.ts'
import type { QueryRows } from '../vocabulary/task.ts'
import type { Tool, ToolDefinition } from '../vocabulary/tool.ts'
import { DatabaseReader, TableCatalog } from './database-reader.ts'
import { type TableScan, tableScan } from './diff/table-diff.ts'
import { EnvironmentInstance, type InstanceStrategy } from './environment-instance.ts'
import { buildImage } from './image/build-image.ts'
import type { DatabaseImage } from './image/database-image.ts'
import type { InstanceHost } from './instance-host.ts'
import { defaultScriptLimits, type ScriptLimits } from './sandbox/script-runtime.ts'
import type { SqliteRow } from './sqlite/cell.ts'
import { Connection } from './sqlite/connection.ts'
import { IdleConnections } from './sqlite/idle-connections.ts'
import { SeededRandom } from './sqlite/open-connection.ts'
import { sqlTokens } from './sqlite/sql-text.ts'
import { type RegisteredStatement, StatementRegistry } from './sqlite/statement-registry.ts'
import { StatementVetter } from './sqlite/statement-vetting.ts'
import { type CompiledTool, type CompiledToolset, compileToolset } from './tools/compile-toolset.ts'

/** What of an environment can be executed. */
export interface ExecutableParts {
  readonly database: DatabaseDraft
  readonly tools: readonly Tool[]
  /** Source text of script tools and script verifiers, by path inside the bundle. */
  readonly scripts: Readonly<Record<string, string>>
}

export interface OpenOptions {
  /** Equal seeds give equal instances. */
  readonly seed: number
  /** `pooled` unless the environment rules it out; `clone` is the plain one it is held equal to. */
  readonly strategy?: InstanceStrategy
  /** Bounds of each script call, where they differ from the defaults. */
  readonly scriptLimits?: Partial<ScriptLimits>
}

/** sha-256, hex, of everything that decides how instances behave. */
export function executableHash({ database: { schema, data, clock }, tools, scripts }: ExecutableParts): string {
  return contentHash({ schema, data, clock, tools, scripts })
}

/**
 * What a connection that is rolled back and used again cannot carry: foreign keys checked at commit, statements that
 * roll back on their own, random numbers (whose stream does not follow the log of writes), and scripts.
 */
function canPool(image: DatabaseImage, tools: Iterable<CompiledTool>): boolean {
  const keywords = new Set(
    image.schema.flatMap((sql) => sqlTokens(sql).map((token) => token.keyword || token.text.toUpperCase())),
  )
  if (['DEFERRED', 'ROLLBACK', 'FAIL', 'RANDOM'].some((word) => keywords.has(word))) return false
  return [...tools].every(({ program }) => {
    if (program === null) return false
    return program.steps.every(({ statement }) => statement === null || !(statement.partial || statement.usesRandom))
  })
}

/**
 * An environment loaded for execution: its image, compiled tools and vetted statements, shared by all of its instances.
 */
export class ExecutableEnvironment implements InstanceHost {
  readonly hash: string
  readonly image: DatabaseImage
  readonly registry: StatementRegistry
  readonly catalog: TableCatalog
  readonly scripts: Readonly<Record<string, string>>
  /** One per table, in the order of the image's tables. */
  readonly scans: readonly TableScan[]
  /** On the image itself; only ever read. */
  readonly base: Connection
  readonly idle = new IdleConnections()
  readonly #toolset: CompiledToolset
  readonly #initial: DatabaseReader
  readonly #scanStatements: readonly RegisteredStatement[]
  readonly #rowStatements: readonly RegisteredStatement[]
  readonly #baseRows: (readonly SqliteRow[] | undefined)[] = []
  readonly #poolable: boolean

  /** @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID */
  constructor(parts: ExecutableParts, hash = executableHash(parts)) {
    this.hash = hash
    this.image = buildImage(parts.database)
    this.base = new Connection(this.image.bytes, this.image.clock, new SeededRandom(0))
    this.registry = new StatementRegistry(new StatementVetter(this.base.database, this.image.tables))
    this.catalog = new TableCatalog(this.image.tables, this.registry)
    this.scans = this.image.tables.map(tableScan)
    this.#scanStatements = this.scans.map((scan) => this.registry.own(scan.sql, scan.columns))
    this.#rowStatements = this.scans.map((scan) => this.registry.own(scan.rowSql, scan.columns, ['id']))
    this.scripts = parts.scripts
    this.#toolset = compileToolset(parts.tools, this.registry, parts.scripts)
    this.#poolable = canPool(this.image, this.#toolset.tools.values())
    this.#initial = new DatabaseReader(this.catalog, this.registry, () => this.base, new Map<string, QueryRows>())
  }

  /** What policies and clients see of the tools; one list for all instances. */
  get tools(): readonly ToolDefinition[] {
    return this.#toolset.definitions
  }

  /** Names, sorted, of the tables. */
  get tables(): readonly string[] {
    return this.catalog.names
  }

  /** The state that every instance starts in. */
  get initial(): StateReader {
    return this.#initial
  }

  /** Whether some of its tools are scripts, so that `loadSandbox` must be awaited before they are called. */
  get needsSandbox(): boolean {
    return [...this.#toolset.tools.values()].some(({ program }) => program === null)
  }

  tool(name: string): CompiledTool | undefined {
    return this.#toolset.tools.get(name)
  }

  /** A fresh instance; opens no database before its first call. */
  open({ seed, strategy = 'pooled', scriptLimits = {} }: OpenOptions): EnvironmentInstance {
    return new EnvironmentInstance(this, {
      seed,
      strategy: this.#poolable ? strategy : 'clone',
      scriptLimits: { ...defaultScriptLimits, ...scriptLimits },
    })
  }

  /** All rows of a table, by its position, as every instance starts with them. */
  baseRows(table: number): readonly SqliteRow[] {
    const known = this.#baseRows[table]
    if (known !== undefined) return known
    const rows = this.scan(this.base, table)
    this.#baseRows[table] = rows
    return rows
  }

  /** All rows of a table, by its position, as a connection sees them. */
  scan(connection: Connection, table: number): readonly SqliteRow[] {
    return connection.all(this.#scanStatements[table] as RegisteredStatement)
  }

  /** One row of a table whose key is its row id; undefined when there is none. */
  scanRow(connection: Connection, table: number, id: bigint): SqliteRow | undefined {
    return connection.fetch(this.#rowStatements[table] as RegisteredStatement, { id }).rows[0]
  }

  /** Frees the connections that wait for instances. Open instances live on. */
  close(): void {
    this.idle.close()
  }
}

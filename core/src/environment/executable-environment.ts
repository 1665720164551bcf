import { contentHash } from '../determinism/content-hash.ts'
import type { StateReader } from '../hooks/world.ts'
import type { DatabaseDraft } from '../vocabulary/database.ts'
import type { QueryRows } from '../vocabulary/task.ts'
import type { Tool, ToolDefinition } from '../vocabulary/tool.ts'
import { DatabaseReader, TableCatalog } from './database-reader.ts'
import { rowKey, sameRow, type TableScan, tableScan } from './diff/table-diff.ts'
import { EnvironmentInstance, type InstanceStrategy } from './environment-instance.ts'
import { buildImage } from './image/build-image.ts'
import type { DatabaseImage } from './image/database-image.ts'
import { BaseRows } from './instance/base-rows.ts'
import { BaseVetter } from './instance/base-vetter.ts'
import { GrowthBounds } from './instance/growth-bounds.ts'
import { HotConnection } from './instance/hot-connection.ts'
import type { Snapshot } from './instance/instance-state.ts'
import { KeptConnection } from './instance/kept-connection.ts'
import { canReplay } from './instance/replay-rules.ts'
import type { InstanceHost } from './instance-host.ts'
import { QueryConnection } from './query/query-connection.ts'
import { defaultScriptLimits, type ScriptLimits } from './sandbox/script-runtime.ts'
import type { SqliteRow, SqliteValue } from './sqlite/cell.ts'
import { Connection } from './sqlite/connection.ts'
import { SeededRandom } from './sqlite/open-connection.ts'
import { type RegisteredStatement, StatementRegistry } from './sqlite/statement-registry.ts'
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
  /** Default `auto`. What an environment's SQL rules out is a clone whatever is asked for. */
  readonly strategy?: InstanceStrategy
  /**
   * Whether reads of tables that the instance has not written may be answered by the image that all instances share.
   * Default true. Without, a `clone` is a database of its own and nothing else: what all others are held equal to.
   */
  readonly sharesReads?: boolean
  /** Bounds of each script call, where they differ from the defaults. */
  readonly scriptLimits?: Partial<ScriptLimits>
}

/** sha-256, hex, of everything that decides how instances behave. */
export function executableHash({ database: { schema, data, clock }, tools, scripts }: ExecutableParts): string {
  return contentHash({ schema, data, clock, tools, scripts })
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
  readonly hot: HotConnection
  readonly growth: GrowthBounds
  readonly #base: KeptConnection
  readonly #queries: KeptConnection<QueryConnection>
  readonly #rows: BaseRows
  readonly #toolset: CompiledToolset
  readonly #initial: DatabaseReader
  readonly #scanStatements: readonly RegisteredStatement[]
  readonly #rowStatements: readonly RegisteredStatement[]
  readonly #replayable: boolean

  /** @throws {RlenvError} RLENV_DATABASE_INVALID, RLENV_TOOL_INVALID */
  constructor(parts: ExecutableParts, hash = executableHash(parts)) {
    this.hash = hash
    this.image = buildImage(parts.database)
    const { bytes, clock, tables } = this.image
    const open = () => new Connection(bytes, clock, new SeededRandom(0))
    this.#base = new KeptConnection(open, bytes.length)
    this.#queries = new KeptConnection(() => new QueryConnection(bytes, this.image), bytes.length)
    this.growth = new GrowthBounds(this.#base, tables)
    this.registry = new StatementRegistry(new BaseVetter(this.#base, tables))
    this.catalog = new TableCatalog(tables, this.registry)
    this.scans = tables.map(tableScan)
    this.#scanStatements = this.scans.map((scan) => this.registry.own(scan.sql, scan.columns))
    this.#rowStatements = this.scans.map((scan) => this.registry.own(scan.rowSql, scan.columns, keyNames(scan)))
    this.scripts = parts.scripts
    this.#toolset = compileToolset(parts.tools, this.registry, parts.scripts)
    this.#replayable = canReplay(this.base, this.image, this.#toolset.tools.values())
    this.hot = new HotConnection({ open, image: this.image, scans: this.scans, base: () => this.base })
    this.#rows = new BaseRows(this.scans, {
      all: (table) => this.scan(this.base, table),
      one: (table, key) => this.rowAt(this.base, table, key),
    })
    this.#initial = new DatabaseReader(
      this.catalog,
      this.registry,
      () => this.#fixedBase(),
      new Map<string, QueryRows>(),
    )
  }

  /** On the image itself; only ever read. Opened when it is needed. */
  get base(): Connection {
    return this.#base.get()
  }

  /** For queries of policies, on the image itself. Opened when it is needed. */
  get queries(): QueryConnection {
    return this.#queries.get()
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
    return [...this.#toolset.tools.values()].some(({ program }) => program.kind === 'script')
  }

  tool(name: string): CompiledTool | undefined {
    return this.#toolset.tools.get(name)
  }

  /** A fresh instance; opens no database before its first call. */
  open({ seed, strategy = 'auto', sharesReads = true, scriptLimits = {} }: OpenOptions): EnvironmentInstance {
    const random = new SeededRandom(seed)
    const replayed = this.#replayable && strategy !== 'clone'
    const state: Snapshot = replayed ? { kind: 'replay', log: [], random } : { kind: 'clone', bytes: null, random }
    return new EnvironmentInstance(this, {
      seed,
      promotes: strategy === 'auto',
      sharesReads,
      scriptLimits: { ...defaultScriptLimits, ...scriptLimits },
      start: { state, calls: 0, touched: false },
    })
  }

  /** Whether no two rows of a table, by its position, share what tells rows apart, as every instance starts with them. */
  keyed(table: number): boolean {
    return this.#rows.keyed(table)
  }

  /** The row with a key as every instance starts with it. */
  baseRow(table: number, key: SqliteRow): SqliteRow | undefined {
    return this.#rows.row(table, key)
  }

  /** All rows of a table, by its position, as every instance starts with them. */
  baseRows(table: number): readonly SqliteRow[] {
    return this.#rows.all(table)
  }

  /** All rows of a table, by its position, as a connection sees them. */
  scan(connection: Connection, table: number): readonly SqliteRow[] {
    return connection.all(this.#scanStatements[table] as RegisteredStatement)
  }

  /** The row of a table with just this key, storage classes included, as a connection sees it. */
  rowAt(connection: Connection, table: number, key: SqliteRow): SqliteRow | undefined {
    const statement = this.#rowStatements[table] as RegisteredStatement
    const bindings: Record<string, SqliteValue> = {}
    for (let i = 0; i < key.length; i++) bindings[statement.parameters[i] as string] = key[i] as SqliteValue
    const [row] = connection.fetch(statement, bindings).rows
    return row !== undefined && sameRow(rowKey(this.scans[table] as TableScan, row), key) ? row : undefined
  }

  /** Frees its connections. Open instances live on: what they need is opened again. */
  close(): void {
    this.hot.close()
    this.#queries.close()
    this.#base.close()
  }

  /** Random numbers of queries about the initial state always begin at the same place. */
  #fixedBase(): Connection {
    const { base } = this
    base.random = new SeededRandom(0)
    return base
  }
}

const keyNames = (scan: TableScan): string[] => scan.identity.map((_, index) => `k${index}`)

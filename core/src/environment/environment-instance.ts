import type { CallOutcome, CapturedState, WorldInstance } from '../hooks/world.ts'
import type { Cell } from '../vocabulary/database.ts'
import type { Json, JsonObject } from '../vocabulary/json.ts'
import type { StateDiff } from '../vocabulary/state-diff.ts'
import type { QueryRows } from '../vocabulary/task.ts'
import type { ToolDefinition, ToolResult } from '../vocabulary/tool.ts'
import { DatabaseReader } from './database-reader.ts'
import { diffTable } from './diff/table-diff.ts'
import { WrittenTables } from './diff/written-tables.ts'
import type { InstanceHost } from './instance-host.ts'
import { type ScriptLimits, ScriptRuntime } from './sandbox/script-runtime.ts'
import { Connection } from './sqlite/connection.ts'
import { SeededRandom } from './sqlite/open-connection.ts'
import { CallEffects, type LoggedWrite } from './tools/call-effects.ts'
import type { CompiledTool } from './tools/compile-toolset.ts'
import { runScriptTool } from './tools/script-tool.ts'
import { runSqlTool } from './tools/sql-tool.ts'
import { environmentFault, failed, invalidArguments, unknownTool } from './tools/tool-failure.ts'

/**
 * How an instance gets its database. `clone`: one connection of its own, opened from the image. `pooled`: a connection
 * that an earlier instance used, inside a transaction that is rolled back at the end. Both behave the same.
 */
export type InstanceStrategy = 'clone' | 'pooled'

/** State to start from instead of the image's. */
interface Fork {
  readonly bytes: Buffer
  readonly random: SeededRandom
  readonly written: WrittenTables
  readonly calls: number
}

interface InstanceOptions {
  readonly seed: number
  readonly strategy: InstanceStrategy
  readonly scriptLimits: ScriptLimits
  readonly fork?: Fork
}

const nothing: StateDiff = []

/** One rollout's private copy of an environment. */
export class EnvironmentInstance implements WorldInstance {
  readonly seed: number
  readonly strategy: InstanceStrategy
  readonly #environment: InstanceHost
  readonly #fork: Fork | undefined
  readonly #scriptLimits: ScriptLimits
  #connection: Connection | null = null
  #closed = false
  #written: WrittenTables
  #log: LoggedWrite[] = []
  /** How many calls have run; each script call's random numbers start from it. */
  #calls: number
  #scripts: ScriptRuntime | null = null

  constructor(environment: InstanceHost, options: InstanceOptions) {
    this.seed = options.seed
    this.strategy = options.strategy
    this.#environment = environment
    this.#fork = options.fork
    this.#scriptLimits = options.scriptLimits
    this.#written = new WrittenTables(environment, options.fork?.written)
    this.#calls = options.fork?.calls ?? 0
  }

  get tools(): readonly ToolDefinition[] {
    return this.#environment.tools
  }

  /** Never throws. A call after {@link close} or after its signal was aborted does nothing. */
  call(name: string, args: Json, signal?: AbortSignal): CallOutcome {
    const compiled = this.#environment.tool(name)
    if (compiled === undefined)
      return refused(
        unknownTool(
          name,
          this.tools.map((tool) => tool.name),
        ),
      )
    const validated = compiled.validator.validate(args)
    if (!validated.ok) return refused(invalidArguments(name, validated.violations))
    if (this.#closed) return refused(environmentFault(name, 'its instance is closed'))
    if (signal?.aborted)
      return refused(failed({ kind: 'timeout', code: 'timeout', message: `${name} was cancelled before it ran` }))
    const effects = new CallEffects()
    const result = this.#run(compiled, validated.value, effects)
    this.#calls++
    this.#log.push(...effects.writes)
    return { result, diff: effects.tables.size === 0 ? nothing : this.#written.take(this.#open(), effects.tables) }
  }

  /** Both states and every row that differs. Valid until the instance is closed or reset. */
  capture(): CapturedState {
    return { initial: this.#environment.initial, final: this.#reader(), diff: this.diff() }
  }

  /** Every row that differs from the initial state, from the tables that calls have written. */
  diff(): StateDiff {
    return this.#written.diff()
  }

  /** The same from a scan of every table; what {@link diff} is held equal to. */
  verifyDiff(): StateDiff {
    const connection = this.#open()
    return this.#environment.scans.flatMap((scan, table) =>
      diffTable(scan, this.#environment.baseRows(table), this.#environment.scan(connection, table)),
    )
  }

  /** One SELECT with `@name` parameters on the present state. @throws {RlenvError} RLENV_DATABASE_INVALID */
  query(sql: string, parameters: Readonly<Record<string, Cell>> = {}): QueryRows {
    return this.#reader().query(sql, parameters)
  }

  /** An independent instance in this one's present state. */
  fork(): EnvironmentInstance {
    const random = this.#open().random.copy()
    const fork = {
      bytes: this.image(),
      random,
      written: new WrittenTables(this.#environment, this.#written),
      calls: this.#calls,
    }
    return new EnvironmentInstance(this.#environment, { ...this.#options(), fork })
  }

  /** Back to the state in which it was opened. */
  reset(): void {
    this.#release()
    this.#written = new WrittenTables(this.#environment, this.#fork?.written)
    this.#log = []
    this.#calls = this.#fork?.calls ?? 0
  }

  /** The present state as a whole SQLite database. */
  image(): Buffer {
    if (this.strategy === 'clone') return this.#open().database.serialize()
    const replayed = new EnvironmentInstance(this.#environment, this.#options())
    try {
      return replayed.#replay(this.#log).database.serialize()
    } finally {
      replayed.close()
    }
  }

  close(): void {
    this.#release()
    this.#closed = true
  }

  /** For another instance of the same beginnings that must not share a connection. */
  #options(): InstanceOptions {
    return { seed: this.seed, strategy: 'clone', scriptLimits: this.#scriptLimits }
  }

  #run({ tool, program }: CompiledTool, args: JsonObject, effects: CallEffects): ToolResult {
    if (program !== null) return runSqlTool(program, this.#open(), args, effects)
    const { implementation } = tool
    const file = implementation.kind === 'script' ? implementation.file : ''
    const { registry, scripts } = this.#environment
    return runScriptTool({
      tool,
      file,
      source: scripts[file] ?? '',
      args,
      connection: this.#open(),
      registry,
      runtime: () => this.#scriptRuntime(),
      effects,
      seed: this.seed,
      ordinal: this.#calls,
    })
  }

  /** Made at the first script call, and anew when its sandbox was broken. */
  #scriptRuntime(): ScriptRuntime {
    if (this.#scripts?.sound !== true)
      this.#scripts = new ScriptRuntime(this.#environment.image.clock, this.#scriptLimits)
    return this.#scripts
  }

  #replay(log: readonly LoggedWrite[]): Connection {
    const connection = this.#open()
    for (const { statement, bindings } of log) connection.run(statement, bindings)
    return connection
  }

  #open(): Connection {
    if (this.#connection !== null) return this.#connection
    if (this.#closed) throw new Error('the instance is closed')
    const { image, idle } = this.#environment
    const pooled = this.strategy === 'pooled' ? idle.take() : undefined
    const random = this.#fork?.random.copy() ?? new SeededRandom(this.seed)
    const connection = pooled ?? new Connection(this.#fork?.bytes ?? image.bytes, image.clock, random)
    if (this.strategy === 'pooled') {
      connection.random.reseed(this.seed)
      connection.control('BEGIN')
    }
    this.#connection = connection
    return connection
  }

  #release(): void {
    this.#scripts?.dispose()
    this.#scripts = null
    const connection = this.#connection
    this.#connection = null
    if (connection === null) return
    if (this.strategy === 'clone') connection.close()
    else {
      connection.control('ROLLBACK')
      this.#environment.idle.park(connection)
    }
  }

  /** Reads the present state; tables that no call has written are read from the shared initial state. */
  #reader(): DatabaseReader {
    const { catalog, registry, initial, tables } = this.#environment
    return new DatabaseReader(catalog, registry, () => this.#readable(), {
      get: (table) => (this.#written.has(tables.indexOf(table)) ? undefined : initial.rows(table)),
      set: () => {},
    })
  }

  /** Before its first call an instance looks like the image, so nothing needs to be opened to read it. */
  #readable(): Connection {
    return this.#connection ?? (this.#fork === undefined && !this.#closed ? this.#environment.base : this.#open())
  }
}

function refused(result: ToolResult): CallOutcome {
  return { result, diff: nothing }
}

import { RandomStream } from '../determinism/random-stream.ts'
import { messageOf } from '../errors/rlenv-error.ts'
import type { CallOutcome, CapturedState, WorldInstance } from '../hooks/world.ts'
import type { Cell } from '../vocabulary/database.ts'
import type { Json, JsonObject } from '../vocabulary/json.ts'
import type { StateDiff } from '../vocabulary/state-diff.ts'
import type { QueryRows } from '../vocabulary/task.ts'
import type { Tool, ToolDefinition, ToolResult } from '../vocabulary/tool.ts'
import { DatabaseReader } from './database-reader.ts'
import { diffTable } from './diff/table-diff.ts'
import { ChangedRows } from './instance/changed-rows.ts'
import { attributeCrash, isCrash } from './instance/crash-attribution.ts'
import { InstanceDatabase } from './instance/instance-database.ts'
import type { InstanceOptions } from './instance/instance-options.ts'
import { InstanceQueries } from './instance/instance-queries.ts'
import type { InstanceState, Snapshot } from './instance/instance-state.ts'
import { mostReplayCost } from './instance/replay-rules.ts'
import { ReplayState } from './instance/replay-state.ts'
import { stateFrom } from './instance/state-from.ts'
import type { InstanceHost } from './instance-host.ts'
import { ScriptRuntime } from './sandbox/script-runtime.ts'
import { SeededRandom } from './sqlite/open-connection.ts'
import { CallEffects } from './tools/call-effects.ts'
import type { CompiledTool, ScriptProgram } from './tools/compile-toolset.ts'
import { type QueryProgram, runQueryTool } from './tools/query-tool.ts'
import { runScriptTool } from './tools/script-tool.ts'
import { runSqlTool } from './tools/sql-tool.ts'
import { environmentFault, failed, invalidArguments, unknownTool } from './tools/tool-failure.ts'

/**
 * How an instance holds its state. `clone`: a database of its own, opened from the image; the plain one that the others
 * are held equal to. `replay`: a log of writes, which a connection that all instances of the environment share carries
 * out again when it is this one's turn. `auto`: replay until a clone is cheaper. All behave the same; what cannot be
 * replayed is a clone whatever was asked for.
 */
export type InstanceStrategy = 'auto' | 'replay' | 'clone'

/** What one attempt at a call came to. */
interface Attempt {
  readonly result: ToolResult
  readonly effects: CallEffects
  readonly diff: StateDiff
  /** Whether it used a statement that no log can repeat. */
  readonly unrepeatable: boolean
}

const nothing: StateDiff = []

/** One rollout's private copy of an environment. */
export class EnvironmentInstance implements WorldInstance {
  readonly #environment: InstanceHost
  readonly #options: InstanceOptions
  #state: InstanceState
  #changed: ChangedRows
  /** How many calls have run; each script call's random numbers start from it. */
  #calls: number
  #touched: boolean
  #closed = false
  #scripts: ScriptRuntime | null = null
  #queries: InstanceQueries | null = null

  constructor(environment: InstanceHost, options: InstanceOptions) {
    const { start } = options
    this.#environment = environment
    this.#options = options
    this.#state = stateFrom(environment, start.state)
    this.#changed = new ChangedRows(environment, start.changed)
    this.#calls = start.calls
    this.#touched = start.touched
  }

  get seed(): number {
    return this.#options.seed
  }

  /** How the instance holds its state at present. */
  get strategy(): 'replay' | 'clone' {
    return this.#state.kind
  }

  get tools(): readonly ToolDefinition[] {
    return this.#environment.tools
  }

  /** Never throws. A call after {@link close} or after its signal was aborted does nothing. */
  call(name: string, args: Json, signal?: AbortSignal): CallOutcome {
    const compiled = this.#environment.tool(name)
    if (compiled === undefined) return refused(unknownTool(name, namesOf(this.tools)))
    const validated = compiled.validator.validate(args)
    if (!validated.ok) return refused(invalidArguments(name, validated.violations))
    if (this.#closed) return refused(environmentFault(name, 'its instance is closed'))
    if (signal?.aborted)
      return refused(failed({ kind: 'timeout', code: 'timeout', message: `${name} was cancelled before it ran` }))
    try {
      return this.#carryOut(compiled, validated.value)
    } catch (thrown) {
      return refused(environmentFault(name, messageOf(thrown)))
    }
  }

  /** Both states and every row that differs. Valid until the instance is closed or reset. */
  capture(): CapturedState {
    return { initial: this.#environment.initial, final: this.#reader(), diff: this.diff() }
  }

  /** Every row that differs from the initial state, from what calls have touched. */
  diff(): StateDiff {
    return this.#changed.diff()
  }

  /** The same from a scan of every table; what {@link diff} is held equal to. */
  verifyDiff(): StateDiff {
    const connection = this.#open().connection()
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
    const changed = new ChangedRows(this.#environment, this.#changed)
    const start = { state: this.#open().snapshot(), changed, calls: this.#calls, touched: this.#touched }
    return new EnvironmentInstance(this.#environment, { ...this.#options, start })
  }

  /** Back to the state in which it was opened. */
  reset(): void {
    const { start } = this.#options
    this.#release()
    this.#state = stateFrom(this.#environment, start.state)
    this.#changed = new ChangedRows(this.#environment, start.changed)
    this.#calls = start.calls
    this.#touched = start.touched
  }

  /** The present state as a whole SQLite database. */
  image(): Buffer {
    return this.#open().image()
  }

  close(): void {
    this.#release()
    this.#closed = true
  }

  #carryOut(compiled: CompiledTool, args: JsonObject): CallOutcome {
    const { random } = this.#state
    const drawn = random.drawn
    let attempt = this.#attempt(compiled, args)
    if (attempt.unrepeatable && this.#state instanceof ReplayState) {
      this.#promote(this.#state)
      random.rewind(drawn)
      attempt = this.#attempt(compiled, args)
    }
    const { result, effects, diff } = attempt
    const ordinal = this.#calls++
    if (!result.ok) return refused(isCrash(result) ? this.#attributed(compiled, args, result, ordinal) : result)
    if (effects.writes.length === 0 && effects.tables.size === 0) return { result, diff: nothing }
    this.#touched = true
    this.#state.keep(effects.writes)
    this.#promoteIfCostly()
    return { result, diff }
  }

  #attempt(compiled: CompiledTool, args: JsonObject): Attempt {
    const { tool, program } = compiled
    const effects = new CallEffects()
    if (program.kind === 'query')
      return { result: this.#runQuery(program, args), effects, diff: nothing, unrepeatable: false }
    const writes = tool.effect === 'write'
    if (writes) this.#queries?.forget()
    const database = this.#database(writes)
    const result =
      program.kind === 'script'
        ? this.#runScript(tool, program, args, database, effects)
        : runSqlTool(program, database, args, effects)
    if (writes && !result.ok) this.#state.recover(database.failed)
    return { result, effects, diff: database.diff, unrepeatable: database.unrepeatable }
  }

  /** A query leaves no trace, so its random numbers are its own: they follow from the seed and the call's place. */
  #runQuery(program: QueryProgram, args: JsonObject): ToolResult {
    const random = new SeededRandom(RandomStream.of(this.seed, 'query', this.#calls).uint32())
    this.#queries ??= new InstanceQueries(this.#environment, {
      image: () => this.image(),
      changed: () => this.#changed,
      sharesReads: this.#options.sharesReads,
    })
    return runQueryTool(program, this.#queries, args, random)
  }

  #runScript(
    tool: Tool,
    { file }: ScriptProgram,
    args: JsonObject,
    database: InstanceDatabase,
    effects: CallEffects,
  ): ToolResult {
    return runScriptTool({
      tool,
      file,
      source: this.#environment.scripts[file] ?? '',
      args,
      database,
      registry: this.#environment.registry,
      runtime: () => this.#scriptRuntime(),
      effects,
      seed: this.seed,
      ordinal: this.#calls,
    })
  }

  /** Decides whose fault a crash is: the environment's if the same call crashes where nobody has done anything yet. */
  #attributed({ tool }: CompiledTool, args: JsonObject, result: ToolResult, ordinal: number): ToolResult {
    if (!this.#touched) return result
    return attributeCrash(tool.name, result, () => {
      const state: Snapshot = { kind: 'clone', bytes: null, random: new SeededRandom(this.seed) }
      const start = { state, calls: ordinal, touched: false }
      const fresh = new EnvironmentInstance(this.#environment, { ...this.#options, start })
      try {
        return fresh.call(tool.name, args).result
      } finally {
        fresh.close()
      }
    })
  }

  #promoteIfCostly(): void {
    if (!(this.#state instanceof ReplayState)) return
    const costly = this.#options.promotes && this.#state.cost > mostReplayCost
    if (costly || this.#changed.exhaustsRowids) this.#promote(this.#state)
  }

  #promote(state: ReplayState): void {
    const promoted = state.promoted()
    state.close()
    this.#state = promoted
  }

  /** Made at the first script call, and anew when its sandbox was broken. */
  #scriptRuntime(): ScriptRuntime {
    if (this.#scripts?.sound !== true)
      this.#scripts = new ScriptRuntime(this.#environment.image.clock, this.#options.scriptLimits)
    return this.#scripts
  }

  #open(): InstanceState {
    if (this.#closed) throw new Error('the instance is closed')
    return this.#state
  }

  /** @param writes - whether what is to come may write. */
  #database(writes: boolean): InstanceDatabase {
    const { sharesReads } = this.#options
    const places = { host: this.#environment, state: this.#open(), changed: this.#changed, sharesReads }
    return new InstanceDatabase(places, writes)
  }

  #release(): void {
    this.#queries?.forget()
    this.#scripts?.dispose()
    this.#scripts = null
    this.#state.close()
  }

  /** Reads the present state; tables that no call has changed are read from the shared initial state. */
  #reader(): DatabaseReader {
    const { catalog, registry, initial, tables } = this.#environment
    return new DatabaseReader(catalog, registry, () => this.#database(false), {
      get: (table) => (this.#changed.has(tables.indexOf(table)) ? undefined : initial.rows(table)),
      set: () => {},
    })
  }
}

const namesOf = (tools: readonly ToolDefinition[]): string[] => tools.map((tool) => tool.name)

function refused(result: ToolResult): CallOutcome {
  return { result, diff: nothing }
}

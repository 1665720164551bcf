import { setMaxListeners } from 'node:events'
import type { CallOutcome, CapturedState, World, WorldInstance, WorldRequest } from '../../hooks/world.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import { markedPipeline } from '../../rollout/shards/marked-parts.ts'
import { type MarkedInstances, MarkedWorld } from '../../rollout/shards/marked-world.ts'
import type { ShardMarks } from '../../rollout/shards/shard-marks.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { QueryRows } from '../../vocabulary/task.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import { SessionJudge } from '../session-judge.ts'
import type { CapturedTables, ReadQuestion, VerifyQuestion } from './worker-messages.ts'

/** What the worlds of a worker share. */
export interface Workplace {
  readonly pipeline: Pipeline
  readonly world: World
  readonly marks: ShardMarks
  readonly instances: MarkedInstances
  readonly seed: number
  readonly verifierTimeoutMs: number
  readonly log: (line: string) => void
}

/** The world of one session inside a worker; every entry into foreign code is marked as its own. */
export class HostedWorld {
  readonly #marks: ShardMarks
  readonly #number: number
  readonly #request: WorldRequest
  readonly #instance: WorldInstance
  readonly #judge: SessionJudge
  readonly #ended = new AbortController()
  #captured: CapturedState | null = null

  private constructor(place: Workplace, number: number, request: WorldRequest, instance: WorldInstance) {
    const { pipeline, marks, seed, log, verifierTimeoutMs: timeoutMs } = place
    const { judge } = markedPipeline(pipeline, marks, number)
    const judging = { has: (hook: Parameters<Pipeline['has']>[0]) => pipeline.has(hook), judge }
    this.#marks = marks
    this.#number = number
    this.#request = request
    this.#instance = instance
    this.#judge = new SessionJudge({ pipeline: judging, seed, log, timeoutMs })
    // Everything that goes on in it may listen for the end.
    setMaxListeners(0, this.#ended.signal)
  }

  /** @param number - names it in marks; above 0. */
  static async open(place: Workplace, number: number, request: WorldRequest): Promise<HostedWorld> {
    const world = new MarkedWorld(place.world, place.marks, number, place.instances)
    const instance = await world.open(request, new AbortController().signal)
    return new HostedWorld(place, number, request, instance)
  }

  get tools(): readonly ToolDefinition[] {
    return this.#instance.tools
  }

  call(name: string, args: Json): CallOutcome | Promise<CallOutcome> {
    return this.#instance.call(name, args, this.#ended.signal)
  }

  async capture(): Promise<CapturedTables | null> {
    const state = await this.#instance.capture()
    this.#captured = state
    return state === null ? null : { initial: state.initial.tables, final: state.final.tables, diff: state.diff }
  }

  /** Rows of a state that was captured. What its world does to read them is marked like everything else. */
  read(asked: ReadQuestion): QueryRows {
    if (this.#captured === null) throw new TypeError('no state of the world was captured')
    const state = this.#captured[asked.of]
    return this.#marks.within(this.#number, 'capture', '', () => {
      return 'table' in asked ? state.rows(asked.table) : state.query(asked.sql, asked.parameters)
    })
  }

  verify({ taskId, ...asked }: VerifyQuestion): Promise<Verdict> {
    const { environment } = this.#request
    const task = environment.tasks.find(({ id }) => id === taskId) ?? null
    return this.#judge.verdict({ ...asked, environment, task, world: this.#instance, signal: this.#ended.signal })
  }

  cancel(): void {
    this.#ended.abort()
  }

  close(): void | Promise<void> {
    return this.#instance.close()
  }
}

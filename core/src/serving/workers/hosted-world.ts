import { setMaxListeners } from 'node:events'
import type { CallOutcome, World, WorldInstance, WorldRequest } from '../../hooks/world.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import { markedPipeline } from '../../rollout/shards/marked-parts.ts'
import { type MarkedInstances, MarkedWorld } from '../../rollout/shards/marked-world.ts'
import type { ShardMarks } from '../../rollout/shards/shard-marks.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import { SessionJudge } from '../session-judge.ts'
import { copyState, type StateCopy } from './state-copy.ts'
import type { VerifyQuestion } from './worker-messages.ts'

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
  readonly #request: WorldRequest
  readonly #instance: WorldInstance
  readonly #judge: SessionJudge
  readonly #ended = new AbortController()

  private constructor(request: WorldRequest, instance: WorldInstance, judge: SessionJudge) {
    this.#request = request
    this.#instance = instance
    this.#judge = judge
    // Everything that goes on in it may listen for the end.
    setMaxListeners(0, this.#ended.signal)
  }

  /** @param number - names it in marks; above 0. */
  static async open(place: Workplace, number: number, request: WorldRequest): Promise<HostedWorld> {
    const { pipeline, marks, seed, log, verifierTimeoutMs: timeoutMs } = place
    const world = new MarkedWorld(place.world, marks, number, place.instances)
    const instance = await world.open(request, new AbortController().signal)
    const { judge } = markedPipeline(pipeline, marks, number)
    const judging = { has: (hook: Parameters<Pipeline['has']>[0]) => pipeline.has(hook), judge }
    return new HostedWorld(request, instance, new SessionJudge({ pipeline: judging, seed, log, timeoutMs }))
  }

  get tools(): readonly ToolDefinition[] {
    return this.#instance.tools
  }

  call(name: string, args: Json): CallOutcome | Promise<CallOutcome> {
    return this.#instance.call(name, args, this.#ended.signal)
  }

  async capture(): Promise<StateCopy | null> {
    const state = await this.#instance.capture()
    return state === null ? null : copyState(state)
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

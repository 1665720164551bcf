import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Policy, PolicyRequest, PolicyResponse } from '../../hooks/roles.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import type { JudgedTrajectory } from '../../vocabulary/trajectory.ts'
import { type AttemptParts, AttemptPlayer } from '../attempt-player.ts'
import type { AttemptPlan, FlightWatch } from '../attempt-runner.ts'
import type { TaskPlace } from '../collect-request.ts'
import type { Flight } from '../flight.ts'
import type { ProgressWatch } from '../progress-watch.ts'
import { MarkedPolicy, markedPipeline } from './marked-parts.ts'
import { type MarkedInstances, MarkedWorld } from './marked-world.ts'
import { type SentTools, ServedPolicy } from './served-policy.ts'
import type { ShardMarks } from './shard-marks.ts'
import type { FromShard, PlayMessage, SampledBy, SampledMessage } from './shard-messages.ts'

/** What the attempts of one shard share. */
export interface ShardWorkshop extends Omit<AttemptParts, 'pipeline'> {
  readonly pipeline: Pipeline
  readonly marks: ShardMarks
  readonly progress: ProgressWatch
  readonly instances: MarkedInstances
  /** Of the tool lists that the orchestrator has been told of. */
  readonly hashes: Set<string>
  readonly tools: SentTools
  readonly send: (message: FromShard) => void
}

/** Milliseconds that a cancelled attempt gets to stop by itself. */
const cancelGraceMs = 5_000

/** One attempt inside a shard. */
export class ShardAttempt {
  readonly #workshop: ShardWorkshop
  readonly #plan: AttemptPlan
  readonly #served: ServedPolicy | null
  readonly #slot: number
  readonly #controller = new AbortController()
  #flight: Flight | null = null

  constructor(workshop: ShardWorkshop, message: PlayMessage, place: TaskPlace, copies: ReadonlyMap<number, Policy>) {
    const { slot, draw, rolloutIndex, attempt, sampling, policy } = message
    this.#workshop = workshop
    this.#slot = slot
    this.#served = policy.kind === 'own' ? null : new ServedPolicy(message, policy, workshop.tools, workshop.send)
    this.#plan = {
      ...place,
      draw,
      rolloutIndex,
      attempt,
      sampling,
      policy: this.#served ?? this.#marked(policy, copies),
    }
  }

  play(): Promise<JudgedTrajectory> {
    const { pipeline, marks, worlds, instances } = this.#workshop
    const player = new AttemptPlayer({
      ...this.#workshop,
      pipeline: markedPipeline(pipeline, marks, this.#slot),
      worlds: { ...worlds, world: new MarkedWorld(worlds.world, marks, this.#slot, instances) },
    })
    return player.play(this.#plan, { signal: this.#controller.signal, progress: this.#watch() })
  }

  answer(message: SampledMessage): void {
    this.#served?.answer(message)
  }

  cancel(): void {
    this.#controller.abort()
    this.#flight?.cancel(this.#workshop.clock.now() + cancelGraceMs)
  }

  #watch(): FlightWatch {
    const { progress } = this.#workshop
    return {
      add: (flight) => {
        this.#flight = flight
        progress.add(flight)
        if (this.#controller.signal.aborted) this.cancel()
      },
      delete: (flight) => progress.delete(flight),
    }
  }

  #marked(by: SampledBy, copies: ReadonlyMap<number, Policy>): Policy {
    const copy = by.kind === 'own' ? copies.get(by.id) : undefined
    if (copy === undefined) {
      throw new RlenvError('the shard was never told of the policy', { code: 'RLENV_SHARD_FAILED', hook: 'policy' })
    }
    return new MarkedPolicy(copy, this.#workshop.marks, this.#slot, (request, response) =>
      this.#tell(request, response),
    )
  }

  /** The orchestrator may rebuild what was sampled here, and needs the tools that a span names by their hash. */
  #tell({ tools }: PolicyRequest, response: PolicyResponse): void {
    const hash = response?.span?.toolsHash
    const { hashes, send } = this.#workshop
    if (hash === undefined || hashes.has(hash)) return
    hashes.add(hash)
    send({ kind: 'offered', tools })
  }
}

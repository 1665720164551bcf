import { setMaxListeners } from 'node:events'
import type { Clock } from '../determinism/clock.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import { messageOf } from '../errors/rlenv-error.ts'
import type { HookContext } from '../hooks/contexts.ts'
import type {
  Policy,
  PolicyRequest,
  PolicyResponse,
  RolloutLimits,
  RolloutRequest,
  RolloutResult,
  RolloutStrategy,
} from '../hooks/roles.ts'
import type { WorldInstance } from '../hooks/world.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import { judgeRollout } from '../reward/judge-rollout.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { StopReason } from '../vocabulary/outcome.ts'
import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'
import { type AttemptPlan, type AttemptRunner, type AttemptScope, attemptLabel } from './attempt-runner.ts'
import { attempt, isPromise } from './deadline.ts'
import { faultCodes } from './fault-codes.ts'
import { Flight, type FlightTarget } from './flight.ts'
import { GuardedWorld, type WorldWatch } from './guarded-world.ts'
import { RolloutRecord } from './rollout-record.ts'

export interface AttemptParts {
  readonly pipeline: Pick<Pipeline, 'judge' | 'chain'>
  readonly strategy: RolloutStrategy
  readonly limits: RolloutLimits
  readonly seed: number
  readonly events: EventSink
  readonly clock: Clock
  readonly verifierTimeoutMs: number
  readonly worlds: WorldWatch
}

/** Milliseconds beyond a rollout's own limits after which a strategy that ignores them is given up. */
const graceMs = 5_000

/** Nobody waits for it. */
const longestPrepareMs = 60_000

const never: AbortSignal = new AbortController().signal
// Every world that is being loaded listens to it.
setMaxListeners(0, never)

/** Plays and judges single attempts in this thread: every world that one opens is closed, every fault of one is data. */
export class AttemptPlayer implements AttemptRunner {
  readonly #parts: AttemptParts

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  /**
   * @throws {RlenvError} RLENV_WORLD_SHARED: a world plugin that cannot work.
   */
  async play(plan: AttemptPlan, { signal, progress }: AttemptScope): Promise<JudgedTrajectory> {
    const { clock, limits, worlds, events, pipeline, verifierTimeoutMs } = this.#parts
    const { task, environment } = plan
    const tools: FlightTarget = { state: 'tools', target: environment.id }
    const now = clock.now()
    const deadline = now + limits.rolloutTimeoutMs + 2 * limits.toolTimeoutMs + graceMs
    const flight = new Flight(attemptLabel(plan), tools, now, deadline)
    const world = new GuardedWorld(worlds, (waiting) => {
      flight.wait(waiting ? { state: 'world', target: worlds.world.name } : tools, clock.now())
    })
    progress.add(flight)
    let kept: WorldInstance | null = null
    try {
      const result = await this.#run(plan, flight, world)
      kept = result.world
      if (world.shared !== null) throw world.shared
      flight.wait({ state: 'verifier', target: task.id }, clock.now())
      flight.extend(Number.POSITIVE_INFINITY)
      const context = this.#hookContext(plan, signal)
      return await judgeRollout({ result, task, environment, pipeline, context, events, clock, verifierTimeoutMs })
    } finally {
      await world.end(kept)
      flight.end()
      progress.delete(flight)
    }
  }

  begin(): void {}

  prepare(environment: Environment): void {
    const { world } = this.#parts.worlds
    // What goes wrong here goes wrong again when an instance is opened, and counts there.
    const preparing = attempt(() => world.prepare?.(environment), longestPrepareMs, never, this.#parts.clock)
    if (isPromise(preparing)) void preparing
  }

  /** The outcome of an attempt that ended without a record of its own, or was not begun. */
  async conclude(plan: AttemptPlan, stop: StopReason, signal: AbortSignal): Promise<JudgedTrajectory> {
    const { pipeline, events, clock } = this.#parts
    const result = { trajectory: new RolloutRecord().trajectory(plan, stop, { diff: [] }), world: null }
    const context = this.#hookContext(plan, signal)
    return judgeRollout({ ...plan, result, pipeline, context, events, clock })
  }

  async #run(plan: AttemptPlan, flight: Flight, world: GuardedWorld): Promise<RolloutResult> {
    const { strategy, limits, seed, clock, events } = this.#parts
    const { draw, rolloutIndex, attempt } = plan
    const request: RolloutRequest = {
      ...plan,
      policy: new WatchedPolicy(plan.policy, flight, clock),
      world,
      limits,
      random: RandomStream.of(seed, 'rollout', draw.id, rolloutIndex, attempt),
      signal: flight.signal,
    }
    const without = (stop: StopReason): RolloutResult => {
      return { trajectory: new RolloutRecord().trajectory(request, stop, { diff: [] }), world: null }
    }
    try {
      return await Promise.race([strategy.run(request), flight.abandoned.then(without)])
    } catch (cause) {
      const message = `rollout strategy ${strategy.name} failed: ${messageOf(cause)}`
      events({ type: 'warning', message, plugin: null, hook: 'rollout' })
      return without({ kind: 'faulted', in: 'environment', code: faultCodes.strategyFailed, message })
    }
  }

  #hookContext({ draw, rolloutIndex, attempt }: AttemptPlan, signal: AbortSignal): HookContext {
    return {
      random: RandomStream.of(this.#parts.seed, 'judge', draw.id, rolloutIndex, attempt),
      signal,
      log: () => undefined,
    }
  }
}

/** The policy, noting in the attempt's flight when it is waited for. */
class WatchedPolicy implements Policy {
  readonly name: string
  readonly #policy: Policy
  readonly #flight: Flight
  readonly #clock: Clock

  constructor(policy: Policy, flight: Flight, clock: Clock) {
    this.name = policy.name
    this.#policy = policy
    this.#flight = flight
    this.#clock = clock
  }

  get policyVersion(): number {
    return this.#policy.policyVersion
  }

  sample(request: PolicyRequest, signal: AbortSignal): PolicyResponse | Promise<PolicyResponse> {
    const sampling = this.#policy.sample(request, signal)
    if (!isPromise(sampling)) return sampling
    const before = this.#flight.waitsFor
    this.#flight.wait({ state: 'policy', target: this.name }, this.#clock.now())
    return sampling.finally(() => this.#flight.wait(before, this.#clock.now()))
  }
}

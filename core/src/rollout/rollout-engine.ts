import type { ResolvedConfig } from '../config/rlenv-config.ts'
import { type Clock, systemClock } from '../determinism/clock.ts'
import { freezeData } from '../determinism/freeze-data.ts'
import { assertTimeForQueries } from '../environment/tools/query-time.ts'
import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Draw, Policy, RolloutLimits, RolloutStrategy, SamplingParams } from '../hooks/roles.ts'
import type { World } from '../hooks/world.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import { defaultVerifierTimeoutMs } from '../reward/judge-rollout.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { TrajectoryGroup } from '../vocabulary/trajectory.ts'
import { AttemptPlayer } from './attempt-player.ts'
import type { CollectRequest, TaskPlace } from './collect-request.ts'
import { Collection, type CollectionParts } from './collection.ts'
import { FailureTally } from './failure-tally.ts'
import { ShardPool } from './shards/shard-pool.ts'

export interface RolloutEngineOptions {
  readonly pipeline: Pipeline
  readonly strategy: RolloutStrategy
  readonly world: World
  readonly policy: Policy
  /** Where draws find their tasks, which are frozen: plugins see them. */
  readonly environments: readonly Environment[]
  readonly config: ResolvedConfig['rollout']
  /** The run's. */
  readonly seed: number
  readonly events: EventSink
  readonly clock?: Clock
  /** Milliseconds that a verifier has for one rollout. Default 60000. */
  readonly verifierTimeoutMs?: number
  /** Milliseconds without any finished rollout after which the engine says who waits for whom. Default 60000. */
  readonly progressDeadlineMs?: number
  /** Milliseconds before the second attempt; doubled for each one after it. Default 250. */
  readonly retryDelayMs?: number
}

const defaultProgressDeadlineMs = 60_000

/** Plays many rollouts at a time. */
export interface RolloutEngine {
  /**
   * Plays every draw and yields their groups in the order of the draws, whatever the concurrency. A failed rollout is a
   * member of its group, never the end of the step. Groups wait for their taker; leaving the loop early cancels the rest.
   *
   * @throws {RlenvError} RLENV_SAMPLER_INVALID for a task that does not exist, before anything is played;
   *   RLENV_GROUP_TOO_SMALL; RLENV_WORLD_SHARED; RLENV_FAILURE_SHARE after the last group; RLENV_INTERRUPTED when the signal aborts.
   */
  collect(request: CollectRequest, signal: AbortSignal): AsyncGenerator<TrajectoryGroup, void, void>
  /** Tasks whose world never opened, with the reason. They are not tried again. */
  readonly droppedTasks: ReadonlyMap<string, string>
  /** Ends the threads or processes that rollouts ran in, if any. Nothing can be collected afterwards. */
  close(): Promise<void>
}

/**
 * Builds an engine. Costs nothing until something is collected.
 *
 * @throws {RlenvError} RLENV_CONFIG_INVALID when rollouts are to run in threads or processes and the pipeline exists in
 *   this thread only, or when a query of a policy may take longer than a call.
 */
export function createRolloutEngine(options: RolloutEngineOptions): RolloutEngine {
  const { config, events, clock = systemClock, world } = options
  assertTimeForQueries(options.environments, config.toolTimeoutMs)
  const player = new AttemptPlayer({
    pipeline: options.pipeline,
    strategy: options.strategy,
    limits: limitsOf(config),
    seed: options.seed,
    events,
    clock,
    verifierTimeoutMs: options.verifierTimeoutMs ?? defaultVerifierTimeoutMs,
    worlds: { world, events, clock, seen: new WeakSet() },
  })
  const pool = poolOf(options, player)
  const places = placesOf(options.environments)
  const droppedTasks = new Map<string, string>()
  const parts: CollectionParts = {
    player: pool ?? player,
    events,
    clock,
    droppedTasks,
    config,
    retryDelayMs: options.retryDelayMs ?? 250,
    progressDeadlineMs: options.progressDeadlineMs ?? defaultProgressDeadlineMs,
  }
  return {
    droppedTasks,
    close: async () => pool?.close(),
    async *collect(request, signal) {
      assertGroupSize(request.rolloutsPerDraw)
      const tally = new FailureTally()
      const collection = new Collection(parts, request, {
        places: request.draws.map((draw) => placeOf(draw, places)),
        policy: request.policy ?? options.policy,
        sampling: { ...samplingOf(config), ...request.sampling },
      })
      for await (const group of collection.play(signal)) {
        for (const member of group.members) tally.add(member)
        yield group
      }
      if (request.maxFailureShare !== undefined) tally.assertBelow(request.maxFailureShare)
    },
  }
}

function poolOf(options: RolloutEngineOptions, player: AttemptPlayer): ShardPool | null {
  const { config, pipeline, policy, seed, events, clock = systemClock } = options
  const { verifierTimeoutMs = defaultVerifierTimeoutMs, progressDeadlineMs = defaultProgressDeadlineMs } = options
  const { mode, shards, shardMemoryMib: memoryMib } = config
  if (mode === 'inline') return null
  const limits = limitsOf(config)
  return new ShardPool({
    mode,
    shards,
    memoryMib,
    pipeline,
    player,
    policy,
    limits,
    seed,
    verifierTimeoutMs,
    progressDeadlineMs,
    events,
    clock,
  })
}

function assertGroupSize(rolloutsPerDraw: number): void {
  if (Number.isInteger(rolloutsPerDraw) && rolloutsPerDraw >= 1) return
  throw new RlenvError(`a group of ${rolloutsPerDraw} rollouts cannot be played`, {
    code: 'RLENV_GROUP_TOO_SMALL',
    fix: 'Set rolloutsPerTask to 1 or more.',
  })
}

function limitsOf(config: ResolvedConfig['rollout']): RolloutLimits {
  const { maxTurns, maxToolCalls, toolTimeoutMs, turnTimeoutMs, rolloutTimeoutMs, maxResultChars } = config
  return { maxTurns, maxToolCalls, toolTimeoutMs, turnTimeoutMs, rolloutTimeoutMs, maxResultChars }
}

function samplingOf({ temperature, topP, maxTokens }: ResolvedConfig['rollout']): SamplingParams {
  return { temperature, topP, maxTokens }
}

function placesOf(environments: readonly Environment[]): ReadonlyMap<string, TaskPlace> {
  return new Map(
    environments.flatMap((environment) => {
      return environment.tasks.map((task): [string, TaskPlace] => [task.id, { task: freezeData(task), environment }])
    }),
  )
}

function placeOf(draw: Draw, places: ReadonlyMap<string, TaskPlace>): TaskPlace {
  const place = places.get(draw.taskId)
  if (place !== undefined && place.environment.id === draw.environmentId) return place
  const what = place === undefined ? `task "${draw.taskId}"` : `task "${draw.taskId}" in "${draw.environmentId}"`
  throw new RlenvError(`draw ${draw.id} names ${what}, which does not exist`, {
    code: 'RLENV_SAMPLER_INVALID',
    hook: 'sampler',
    fix: didYouMean(draw.taskId, places.keys()) ?? 'Draw the ids of the tasks that the sampler was given.',
  })
}

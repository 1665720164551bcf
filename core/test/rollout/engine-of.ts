import type { ResolvedConfig } from '../../src/config/rlenv-config.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import type { Draw } from '../../src/hooks/roles.ts'
import type { CollectRequest } from '../../src/rollout/collect-request.ts'
import { ReactRollout } from '../../src/rollout/react-rollout.ts'
import { createRolloutEngine, type RolloutEngine, type RolloutEngineOptions } from '../../src/rollout/rollout-engine.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import type { TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'
import { CounterWorld, counterEnvironment, counterPipeline } from './counter-environment.ts'
import { drawOf } from './play.ts'

export const testConfig: ResolvedConfig['rollout'] = {
  maxTurns: 8,
  maxToolCalls: null,
  maxConcurrentRollouts: 8,
  mode: 'inline',
  shards: null,
  shardMemoryMib: null,
  toolTimeoutMs: 5000,
  turnTimeoutMs: 5000,
  rolloutTimeoutMs: 20_000,
  maxResultChars: 2000,
  maxAttempts: 3,
  temperature: 1,
  topP: 1,
  maxTokens: null,
}

export type EngineParts = Partial<Omit<RolloutEngineOptions, 'config' | 'pipeline'>> & {
  readonly config?: Partial<ResolvedConfig['rollout']>
  readonly hooks?: PluginHooks
  /** Tasks of the counter environment. Default 8. */
  readonly tasks?: number
}

export interface TestEngine {
  readonly engine: RolloutEngine
  readonly events: RunEvent[]
  readonly world: CounterWorld
}

/** An engine over counters whose policy adds one and says so. */
export async function engineOf(parts: EngineParts = {}): Promise<TestEngine> {
  const { config, hooks, tasks = 8, ...rest } = parts
  const events: RunEvent[] = []
  const world = (parts.world ?? new CounterWorld()) as CounterWorld
  const engine = createRolloutEngine({
    strategy: new ReactRollout(),
    policy: scriptedPolicy([{ tool: 'add', arguments: { by: 1 } }, 'Done.']),
    environments: [counterEnvironment(tasks)],
    seed: 7,
    events: (event) => events.push(event),
    retryDelayMs: 1,
    ...rest,
    world,
    pipeline: await counterPipeline(hooks),
    config: { ...testConfig, ...config },
  })
  return { engine, events, world }
}

/** One draw per task of the counter environment. */
export function drawsOf(count: number): readonly Draw[] {
  return Array.from({ length: count }, (_, index) => drawOf(`counter/t${index}`, index))
}

export async function collectAll(
  engine: RolloutEngine,
  request: Partial<CollectRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<TrajectoryGroup[]> {
  const groups: TrajectoryGroup[] = []
  const complete: CollectRequest = { draws: drawsOf(4), rolloutsPerDraw: 4, purpose: 'train', ...request }
  for await (const group of engine.collect(complete, signal)) groups.push(group)
  return groups
}

import type { ResolvedConfig } from '../config/rlenv-config.ts'
import type { Clock } from '../determinism/clock.ts'
import { RandomStream } from '../determinism/random-stream.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { SlotContext } from '../hooks/contexts.ts'
import type { Learner, Policy } from '../hooks/roles.ts'
import type { Pipeline } from '../plugin/pipeline.ts'
import { createRolloutEngine, type RolloutEngine } from '../rollout/rollout-engine.ts'
import type { EventSink } from '../telemetry/run-event.ts'
import type { Environment } from '../vocabulary/environment.ts'

export interface EvaluationRun {
  readonly pipeline: Pipeline
  readonly config: ResolvedConfig
  readonly environments: readonly Environment[]
  readonly events: EventSink
  readonly clock: Clock
}

/** What rollouts without training need. */
export interface EvaluationSession {
  readonly engine: RolloutEngine
  readonly policy: Policy
  /** The learner that serves the policy, for loading a checkpoint; null when a plugin fills the slot `policy`. */
  readonly learner: Learner | null
  close(): Promise<void>
}

/**
 * Fills the slots that rollouts need: policy (or a learner that serves one), world and rollout.
 *
 * @throws {RlenvError} RLENV_HOOK_EMPTY; what a plugin throws.
 */
export async function openEvaluation(run: EvaluationRun, signal: AbortSignal): Promise<EvaluationSession> {
  const { pipeline, config, environments, events, clock } = run
  pipeline.require(['verifier', 'rewardShaper', 'world', 'rollout', pipeline.has('policy') ? 'policy' : 'learner'])
  const log = (message: string) => events({ type: 'warning', message, plugin: null, hook: null })
  const context = (slot: string): SlotContext => {
    return { random: RandomStream.of(config.seed, 'train', slot), signal, log, seed: config.seed }
  }
  const strategy = await pipeline.slot('rollout', context('rollout'))
  const learner = pipeline.has('policy') ? null : await pipeline.slot('learner', context('learner'))
  const policy = learner === null ? await pipeline.slot('policy', context('policy')) : served(learner)
  const world = await pipeline.slot('world', context('world'))
  const engine = createRolloutEngine({
    pipeline,
    strategy,
    world,
    policy,
    environments,
    config: config.rollout,
    seed: config.seed,
    events,
    clock,
  })
  const close = async () => {
    await world.close()
    await learner?.close()
  }
  return { engine, policy, learner, close }
}

function served({ name, policy }: Learner): Policy {
  if (policy !== null) return policy
  throw new RlenvError(`nothing samples: no plugin fills the slot policy, and the learner ${name} serves none`, {
    code: 'RLENV_HOOK_EMPTY',
    hook: 'policy',
    fix: 'Add a policy plugin to "plugins", or use a learner that serves its own policy.',
  })
}

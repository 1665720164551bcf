import type { ResolvedConfig } from '../config/rlenv-config.ts'
import type { Clock } from '../determinism/clock.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Learner, Policy, RolloutStrategy } from '../hooks/roles.ts'
import type { World } from '../hooks/world.ts'
import { slotContexts } from '../pipeline/slot-contexts.ts'
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
  /** Build the learner even when a plugin fills the slot `policy`. Default false. */
  readonly needsLearner?: boolean
}

/** What rollouts without training need. */
export interface EvaluationSession {
  readonly engine: RolloutEngine
  readonly policy: Policy
  /** Serves the policy unless a plugin fills the slot `policy`; null when there is no need for one. */
  readonly learner: Learner | null
  close(): Promise<void>
}

/**
 * Fills the slots that rollouts need: policy (or a learner that serves one), world and rollout.
 *
 * @throws {RlenvError} RLENV_HOOK_EMPTY; what a plugin throws.
 */
export async function openEvaluation(run: EvaluationRun, signal: AbortSignal): Promise<EvaluationSession> {
  const { pipeline, config, events } = run
  pipeline.require(['verifier', 'rewardShaper', 'world', 'rollout', pipeline.has('policy') ? 'policy' : 'learner'])
  const context = slotContexts(config.seed, events, signal)
  const strategy = await pipeline.slot('rollout', context('rollout'))
  const served = !pipeline.has('policy')
  const world = await pipeline.slot('world', context('world'))
  let learner: Learner | null = null
  let engine: RolloutEngine | null = null
  const close = async () => {
    await engine?.close()
    await learner?.close()
    await world.close()
  }
  try {
    if (served || run.needsLearner === true) learner = await pipeline.slot('learner', context('learner'))
    const policy = served ? servedBy(learner) : await pipeline.slot('policy', context('policy'))
    engine = engineOf(run, { strategy, world, policy })
    return { engine, policy, learner, close }
  } catch (error) {
    await close()
    throw error
  }
}

function engineOf(
  { pipeline, config, environments, events, clock }: EvaluationRun,
  parts: { readonly strategy: RolloutStrategy; readonly world: World; readonly policy: Policy },
): RolloutEngine {
  return createRolloutEngine({
    ...parts,
    pipeline,
    environments,
    config: config.rollout,
    progressDeadlineMs: config.watchdog.progressAfterMs,
    seed: config.seed,
    events,
    clock,
  })
}

function servedBy(learner: Learner | null): Policy {
  if (learner?.policy) return learner.policy
  const name = learner?.name ?? 'that there is not'
  throw new RlenvError(`nothing samples: no plugin fills the slot policy, and the learner ${name} serves none`, {
    code: 'RLENV_HOOK_EMPTY',
    hook: 'policy',
    fix: 'Add a policy plugin to "plugins", or use a learner that serves its own policy.',
  })
}

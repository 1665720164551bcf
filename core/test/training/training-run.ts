import { configDefaults } from '../../src/config/config-defaults.ts'
import type { ResolvedConfig } from '../../src/config/rlenv-config.ts'
import { type Clock, systemClock } from '../../src/determinism/clock.ts'
import type { RandomStream } from '../../src/determinism/random-stream.ts'
import { ExecutableWorld } from '../../src/environment/executable-world.ts'
import type { PluginHooks } from '../../src/hooks/pipeline-hooks.ts'
import type { Plugin, SetupContext } from '../../src/hooks/plugin.ts'
import type { Algorithm, TaskSampler } from '../../src/hooks/roles.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { ReactRollout } from '../../src/rollout/react-rollout.ts'
import { RunDirectory } from '../../src/runs/run-directory.ts'
import type { RunEvent } from '../../src/telemetry/run-event.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { tinyPlugin } from '../../src/testing/tiny-plugin.ts'
import { tinyVerifier } from '../../src/testing/tiny-verifier.ts'
import { groupAdvantages } from '../../src/training/loss/group-advantages.ts'
import { groupRewards } from '../../src/training/loss/group-rewards.ts'
import { policyLoss } from '../../src/training/loss/policy-loss.ts'
import { train } from '../../src/training/train.ts'
import type { TrainingReport } from '../../src/training/training-report.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import type { Task } from '../../src/vocabulary/task.ts'
import { soleRun } from './run-remains.ts'
import { TabularLearner } from './tabular-learner.ts'

/** Six small libraries with rows of their own. */
export const libraries: readonly Environment[] = Array.from({ length: 6 }, (_, index) => {
  return tinyEnvironment({ id: `library-${index}`, seed: index })
})

/** GRPO in ten lines, because the core knows no plugin. */
export const groupAlgorithm: Algorithm = {
  name: 'group',
  minGroupSize: 2,
  batch: (groups) => ({
    loss: policyLoss(),
    metrics: {},
    samples: groups.flatMap((group) => {
      const advantages = groupAdvantages(groupRewards(group))
      return group.members.flatMap(({ trajectory }, index) => {
        const span = trajectory.turns[0]?.span
        const advantage = advantages[index]
        if (!span || advantage === null || advantage === undefined) return []
        const fill = (value: number) => new Float64Array(span.actions.length).fill(value)
        return {
          trajectory,
          turns: [0],
          role: span.role,
          policyVersion: span.policyVersion,
          actions: Int32Array.from(span.actions),
          mask: new Uint8Array(span.actions.length).fill(1),
          behaviorLogProbs: Float64Array.from(span.logProbs),
          advantages: fill(advantage),
          weights: fill(1),
        }
      })
    }),
  }),
}

/** Draws at random and remembers how many groups it has observed, so that its state matters. */
export function countingSampler(tasks: readonly Task[], random: RandomStream): TaskSampler {
  let observed = 0
  return {
    draw: (count) =>
      Array.from({ length: count }, () => tasks[(random.int(tasks.length) + observed) % tasks.length]!.id),
    observe: () => {
      observed += 1
    },
    state: () => ({ observed, random: [...random.state()] }),
    restore: (state) => {
      const saved = state as { observed: number; random: [number, number, number, number] }
      observed = saved.observed
      random.restore(saved.random)
    },
  }
}

export interface RunParts {
  readonly hooks?: PluginHooks
  /** More hooks, from what a plugin gets when it sets itself up. */
  readonly setup?: (context: SetupContext) => PluginHooks
  readonly version?: string
  readonly environments?: readonly Environment[]
  readonly learner?: TabularLearner
  readonly rollout?: Partial<ResolvedConfig['rollout']>
  readonly training?: Partial<ResolvedConfig['training']>
  readonly evaluation?: Partial<ResolvedConfig['evaluation']>
  readonly output?: Partial<ResolvedConfig['output']>
  readonly seed?: number
  readonly resume?: boolean
  readonly force?: boolean
  /** Folder that holds this run and no other. */
  readonly root: string
  readonly signal?: AbortSignal
  /** Default: the system's. */
  readonly clock?: Clock
  /** False for runs whose rollouts shall not stay in memory. Default true. */
  readonly keepEvents?: boolean
  readonly onEvent?: (event: RunEvent) => void
}

/** Runs `train` as a command would, over tiny libraries and a tabular learner. */
export async function trainTiny(parts: RunParts): Promise<{ report: TrainingReport; events: readonly RunEvent[] }> {
  const { environments = libraries, root } = parts
  const learner = parts.learner ?? new TabularLearner(environments)
  const learners = [learner]
  const hooks: PluginHooks = {
    verifier: tinyVerifier,
    rewardShaper: (reward) => reward,
    sampler: ({ tasks, random }) => countingSampler(tasks, random),
    groups: (groups) => groups,
    algorithm: () => groupAlgorithm,
    // The first one learns; a run that collects ahead asks for another to sample with.
    learner: () => learners.shift() ?? new TabularLearner(environments),
    world: () => new ExecutableWorld(),
    rollout: () => new ReactRollout(),
    ...parts.hooks,
  }
  const plugin: Plugin = {
    ...tinyPlugin({ hooks }),
    version: parts.version ?? '1.0.0',
    setup: (_options, context) => ({ ...hooks, ...parts.setup?.(context) }),
  }
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [plugin] }])
  const events: RunEvent[] = []
  const config: ResolvedConfig = {
    ...configDefaults,
    seed: parts.seed ?? 7,
    rollout: { ...configDefaults.rollout, ...parts.rollout },
    training: { ...configDefaults.training, steps: 6, tasksPerStep: 4, rolloutsPerTask: 4, ...parts.training },
    evaluation: { ...configDefaults.evaluation, rolloutsPerTask: 2, ...parts.evaluation },
    output: { ...configDefaults.output, ...parts.output },
    baseDirectory: root,
    file: null,
  }
  const signal = parts.signal ?? new AbortController().signal
  const onEvent = (event: RunEvent) => {
    if (parts.keepEvents !== false) events.push(event)
    parts.onEvent?.(event)
  }
  const { clock = systemClock } = parts
  const { resume = false, force = false } = parts
  const options = { root, kind: 'train', name: 'tiny', model: learner.name, config, clock }
  const records = await (resume ? RunDirectory.resume(options, await soleRun(root)) : RunDirectory.create(options))
  try {
    const run = { pipeline, config, environments, records, events: onEvent, clock, resume, force }
    return { report: await train(run, signal), events }
  } finally {
    await records.close()
  }
}

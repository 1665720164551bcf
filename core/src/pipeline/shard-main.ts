import { parentPort } from 'node:worker_threads'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Learner, Policy } from '../hooks/roles.ts'
import { ownProcess } from '../rollout/shards/own-process.ts'
import { ShardHost, type ShardSurroundings } from '../rollout/shards/shard-host.ts'
import { ShardMarks } from '../rollout/shards/shard-marks.ts'
import type { FromShard, ShardSetup, ToShard } from '../rollout/shards/shard-messages.ts'
import type { AssembleShard } from '../rollout/shards/shard-parts.ts'
import { loadPipeline } from './load-pipeline.ts'
import { readRecipe } from './pipeline-recipe.ts'
import { slotContexts } from './slot-contexts.ts'

/** Loads the run's configuration once more and fills the slots that rollouts need. */
const assemble: AssembleShard = async (recipe, seed, { events, log }) => {
  const ending = new AbortController()
  const { pipeline } = await loadPipeline({ ...readRecipe(recipe), events, log, signal: ending.signal })
  const context = slotContexts(seed, events, ending.signal)
  const strategy = await pipeline.slot('rollout', context('rollout'))
  const world = await pipeline.slot('world', context('world'))
  const learners: Learner[] = []
  return {
    pipeline,
    strategy,
    world,
    policy: async () => {
      if (pipeline.has('policy')) return pipeline.slot('policy', context('policy'))
      const learner = await pipeline.slot('learner', context('learner'))
      learners.push(learner)
      return servedBy(learner)
    },
    close: async () => {
      for (const learner of learners) await learner.close()
      await world.close()
      ending.abort()
    },
  }
}

function servedBy({ policy, name }: Learner): Policy {
  if (policy !== null) return policy
  throw new RlenvError(`the learner ${name} serves no policy`, { code: 'RLENV_HOOK_EMPTY', hook: 'policy' })
}

/** In a thread the orchestrator reads the marks itself. */
function thread(port: NonNullable<typeof parentPort>): ShardSurroundings {
  return {
    channel: {
      send: (message) => port.postMessage(message),
      listen: (take) => void port.on('message', take),
    },
    marks: async ({ marks }) => new ShardMarks(marks ?? undefined),
    exit: () => process.exit(0),
  }
}

new ShardHost(parentPort === null ? ownProcess<ShardSetup, ToShard, FromShard>() : thread(parentPort), assemble).serve()

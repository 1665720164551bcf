import { loadPipeline } from '../../pipeline/load-pipeline.ts'
import { readRecipe } from '../../pipeline/pipeline-recipe.ts'
import { slotContexts } from '../../pipeline/slot-contexts.ts'
import { ownProcess } from '../../rollout/shards/own-process.ts'
import type { EventSink } from '../../telemetry/run-event.ts'
import { type AssembleWorker, WorkerHost } from './worker-host.ts'
import type { FromWorker, ToWorker, WorkerSetup } from './worker-messages.ts'

/** Loads the server's configuration once more and fills the one slot that sessions need. */
const assemble: AssembleWorker = async ({ recipe, seed }, log) => {
  const ending = new AbortController()
  const events: EventSink = (event) => {
    if (event.type === 'warning') log(event.plugin ?? 'rlenv', event.message)
  }
  const { pipeline } = await loadPipeline({ ...readRecipe(recipe), events, log, signal: ending.signal })
  const world = await pipeline.slot('world', slotContexts(seed, events, ending.signal)('world'))
  return {
    pipeline,
    world,
    close: async () => {
      await world.close()
      ending.abort()
    },
  }
}

new WorkerHost(ownProcess<WorkerSetup, ToWorker, FromWorker>(), assemble).serve()

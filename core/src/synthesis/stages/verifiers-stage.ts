import { draftWorld } from '../../environment/draft-world.ts'
import { sandboxFor } from '../../environment/sandbox/sandbox-for.ts'
import { isRlenvError, messageOf } from '../../errors/rlenv-error.ts'
import type { StoredVerifier } from '../../vocabulary/task.ts'
import type { DroppedItem, Stage } from '../stage.ts'
import { taskSurvivors } from './task-survivors.ts'

/** Has it written down, task by task, how a rollout is verified; tasks for which no plugin can are left out. */
export const verifiersStage: Stage = {
  name: 'verifiers',
  hook: 'verifier',
  acceptedErrorShare: 0.2,
  repeats: true,
  settings: ({ tasksPerEnvironment, minTasksPerEnvironment }) => ({ tasksPerEnvironment, minTasksPerEnvironment }),
  async run({ database, tools, scripts, tasks, seed }, { pipeline, context, settings }) {
    const toolset = { tools, scripts }
    await sandboxFor(tools)
    const world = draftWorld({ database, toolset, seed })
    const verifiers: Record<string, StoredVerifier> = {}
    const dropped: DroppedItem[] = []
    for (const task of tasks) {
      context.signal.throwIfAborted()
      const goldRun = world.run(task.gold.calls, task.gold.answer)
      const random = context.random.fork(task.id)
      try {
        verifiers[task.id] = await pipeline.prepareVerifier(task, {
          ...context,
          random,
          database,
          toolset,
          task,
          goldRun,
          world,
        })
      } catch (thrown) {
        context.signal.throwIfAborted()
        if (!isOneTasksOwn(thrown)) throw thrown
        dropped.push({ item: task.id, reason: 'verifier_missing', message: messageOf(thrown) })
      }
    }
    return taskSurvivors(
      tasks.filter(({ id }) => id in verifiers),
      { verifiers },
      dropped,
      settings,
    )
  },
}

/** That no plugin can verify this task, or that one failed at it, says nothing about the next one. */
function isOneTasksOwn(thrown: unknown): boolean {
  return (
    isRlenvError(thrown) &&
    ['RLENV_HOOK_EMPTY', 'RLENV_PLUGIN_FAILED', 'RLENV_PLUGIN_RETURNED_INVALID'].includes(thrown.code)
  )
}

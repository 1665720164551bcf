import { freezeData } from '../../determinism/freeze-data.ts'
import { draftWorld } from '../../environment/draft-world.ts'
import { sandboxFor } from '../../environment/sandbox/sandbox-for.ts'
import type { DraftWorld } from '../../hooks/world.ts'
import type { Task } from '../../vocabulary/task.ts'
import type { Tool } from '../../vocabulary/tool.ts'
import { goldFindings } from '../gate/check-task.ts'
import type { DroppedItem, Stage } from '../stage.ts'
import { taskSurvivors } from './task-survivors.ts'

/** Has the tasks made and carries out their reference solutions; tasks whose solution fails or does nothing are left out. */
export const tasksStage: Stage = {
  name: 'tasks',
  hook: 'taskGenerator',
  acceptedErrorShare: 0.2,
  repeats: true,
  settings: ({ tasksPerEnvironment, minTasksPerEnvironment }) => ({ tasksPerEnvironment, minTasksPerEnvironment }),
  async run({ id, database, tools, scripts, seed }, { pipeline, context, settings }) {
    const { tasksPerEnvironment } = settings
    const toolset = { tools, scripts }
    await sandboxFor(tools)
    const world = draftWorld({ database, toolset, seed })
    const own = { ...context, database, toolset, tasksPerEnvironment, guidelines: [], world }
    const tasks = freezeData(await pipeline.chain('taskGenerator', [], own))
    const dropped = tasks.flatMap((task) => droppedTask(task, id, tools, world))
    const gone = new Set(dropped.map(({ item }) => item))
    return taskSurvivors(
      tasks.filter((task) => !gone.has(task.id)),
      {},
      dropped,
      settings,
    )
  },
}

function droppedTask(task: Task, environmentId: string, tools: readonly Tool[], world: DraftWorld): DroppedItem[] {
  if (task.environmentId !== environmentId) {
    const message = `the task belongs to the environment "${task.environmentId}"`
    return [{ item: task.id, reason: 'task_foreign', message }]
  }
  const [first] = goldFindings(world.run(task.gold.calls, task.gold.answer), tools)
  return first === undefined ? [] : [{ item: task.id, reason: first.code, message: first.message }]
}

import type { Environment } from '../../vocabulary/environment.ts'
import type { GateReport, TaskReport } from '../gate/gate-report.ts'
import { validateEnvironment } from '../gate/validate-environment.ts'
import type { DroppedItem, Stage, StageResult, StageTry } from '../stage.ts'
import { taskSurvivors, verifiersOf } from './task-survivors.ts'
import { droppedTool } from './tools-stage.ts'

/** Puts the environment through the gate. Tools and tasks that do not pass are taken out; too few tasks end it. */
export const gateStage: Stage = {
  name: 'gate',
  hook: 'verifier',
  acceptedErrorShare: 1,
  repeats: false,
  settings: ({ tasksPerEnvironment, minTasksPerEnvironment }) => ({ tasksPerEnvironment, minTasksPerEnvironment }),
  async run(draft, { pipeline, clock, context, settings }) {
    const { random, signal, log } = context
    const gate = await validateEnvironment(draft, { pipeline, clock, random, signal, log })
    return { ...survivors(draft, gate, settings), gate }
  },
}

function survivors(draft: Environment, gate: GateReport, settings: StageTry['settings']): StageResult {
  const badTools = gate.tools.flatMap(droppedTool)
  const gone = new Set(badTools.map(({ item }) => item))
  const reports = new Map(gate.tasks.map((task) => [task.id, task]))
  const badTasks = draft.tasks.flatMap((task) => {
    const [bad] = droppedTask(reports.get(task.id))
    const without = task.gold.calls.find(({ tool }) => gone.has(tool))?.tool
    if (bad !== undefined) return [bad]
    return without === undefined
      ? []
      : [{ item: task.id, reason: 'tool_dropped', message: `its gold run needs ${without}` }]
  })
  const bad = new Set(badTasks.map(({ item }) => item))
  const tasks = draft.tasks.filter(({ id }) => !bad.has(id)).slice(0, settings.tasksPerEnvironment)
  const tools = gone.size === 0 ? draft.tools : draft.tools.filter(({ name }) => !gone.has(name))
  const part = { tools, verifiers: verifiersOf(tasks, draft.verifiers) }
  const result = taskSurvivors(tasks, part, badTasks, settings)
  const [ground] = gate.findings.filter(({ code }) => code === 'database_invalid')
  return { ...result, reason: ground?.code ?? result.reason, dropped: [...badTools, ...badTasks] }
}

function droppedTask(report: TaskReport | undefined): DroppedItem[] {
  const [first] = report?.findings ?? []
  return report === undefined || first === undefined
    ? []
    : [{ item: report.id, reason: first.code, message: first.message }]
}

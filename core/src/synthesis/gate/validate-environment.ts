import { type Clock, systemClock } from '../../determinism/clock.ts'
import type { RandomStream } from '../../determinism/random-stream.ts'
import { sandboxFor } from '../../environment/sandbox/sandbox-for.ts'
import { ArgumentPool } from '../../environment/tools/argument-pool.ts'
import { isRlenvError } from '../../errors/rlenv-error.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Task } from '../../vocabulary/task.ts'
import { checkTask, type TaskChecks } from './check-task.ts'
import { checkTool } from './check-tool.ts'
import { type CompiledTools, compileTools } from './compile-tools.ts'
import {
  finding,
  type GateFinding,
  type GateReport,
  gravest,
  statusOf,
  type TaskReport,
  type ToolReport,
} from './gate-report.ts'
import { HypotheticalStates } from './hypothetical-state.ts'
import { RandomAgent } from './random-agent.ts'

export interface ValidateOptions {
  /** Its verifiers judge. */
  readonly pipeline: Pipeline
  readonly random: RandomStream
  readonly signal: AbortSignal
  /** An environment with fewer valid tasks is invalid. Default 1. */
  readonly minTasks?: number
  /** How long all verdicts on one task may take together, in milliseconds. Default 30000. */
  readonly verifierTimeoutMs?: number
  readonly clock?: Clock
  /** Takes what verifiers log. Default: it is dropped. */
  readonly log?: (message: string) => void
}

/**
 * The gate that every environment passes before anything is trained or evaluated on it. Everything is executed: schema
 * and rows are loaded, tools called, reference solutions carried out, and verifiers shown states that they must refuse.
 * Never throws for what it is given to check; an abort ends it with the signal's reason.
 */
export async function validateEnvironment(environment: Environment, options: ValidateOptions): Promise<GateReport> {
  await sandboxFor(environment.tools)
  const compiled = compiledOr(environment)
  if (!('executable' in compiled)) return report(environment.id, [compiled], [], [])
  const pool = new ArgumentPool(compiled.executable.initial)
  const tools = toolReports(environment, compiled, pool, options)
  const tasks = await taskReports(environment, compiled, pool, options)
  const { minTasks = 1 } = options
  const valid = tasks.filter(({ status }) => status === 'valid').length
  const few = finding('too_few_tasks', `${valid} of ${tasks.length} tasks are valid, at least ${minTasks} are needed`)
  return report(environment.id, valid < minTasks ? [few] : [], tools, tasks)
}

function compiledOr(environment: Environment): CompiledTools | GateFinding {
  try {
    return compileTools(environment)
  } catch (thrown) {
    if (isRlenvError(thrown) && thrown.code === 'RLENV_DATABASE_INVALID') {
      return finding('database_invalid', thrown.message)
    }
    throw thrown
  }
}

function toolReports(
  environment: Environment,
  { executable, tools, refused }: CompiledTools,
  pool: ArgumentPool,
  { random }: ValidateOptions,
): readonly ToolReport[] {
  const golds = environment.tasks.flatMap((task) => task.gold.calls)
  const checked = tools.map((tool) => {
    const known = golds.filter((call) => call.tool === tool.name).map((call) => call.arguments)
    return checkTool(tool, random.fork('tool', tool.name), { executable, pool, known })
  })
  const byName = new Map([...checked, ...refused].map((tool) => [tool.name, tool]))
  return environment.tools.flatMap((tool) => byName.get(tool.name) ?? [])
}

async function taskReports(
  environment: Environment,
  { executable, tools }: CompiledTools,
  pool: ArgumentPool,
  options: ValidateOptions,
): Promise<readonly TaskReport[]> {
  const { pipeline, random, signal, clock = systemClock, verifierTimeoutMs = 30_000, log = () => undefined } = options
  const states = new HypotheticalStates(executable)
  const agent = new RandomAgent(executable, tools, pool)
  const reports: TaskReport[] = []
  const instructions = new Map<string, string>()
  try {
    for (const task of environment.tasks) {
      signal.throwIfAborted()
      const own = random.fork('task', task.id)
      const context = { random: own.fork('verifier'), signal, log }
      const checks: TaskChecks = { environment, executable, states, agent, pipeline, context, clock, verifierTimeoutMs }
      const formal = formalFindings(environment, task, instructions)
      reports.push(formal.length > 0 ? refusedTask(task, formal) : await checkTask(task, own, checks))
    }
  } finally {
    states.close()
  }
  return reports
}

/** What shows without execution. `instructions` are those of earlier tasks, with the task's id. */
function formalFindings(
  environment: Environment,
  task: Task,
  instructions: Map<string, string>,
): readonly GateFinding[] {
  if (task.environmentId !== environment.id || !task.id.startsWith(`${environment.id}/`)) {
    return [finding('task_foreign', `the task belongs to the environment "${task.environmentId}"`)]
  }
  const text = task.instruction.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
  const earlier = instructions.get(text)
  if (earlier !== undefined) return [finding('task_duplicate', `it has the instruction of ${earlier}`)]
  instructions.set(text, task.id)
  return []
}

function refusedTask(task: Task, findings: readonly GateFinding[]): TaskReport {
  return { id: task.id, status: statusOf(findings), findings, mutants: 0, killed: 0, noticesSideEffects: null }
}

function report(
  environmentId: string,
  findings: readonly GateFinding[],
  tools: readonly ToolReport[],
  tasks: readonly TaskReport[],
): GateReport {
  const mutants = tasks.reduce((sum, task) => sum + task.mutants, 0)
  const killed = tasks.reduce((sum, task) => sum + task.killed, 0)
  const verifierKillRate = mutants === 0 ? null : killed / mutants
  const status = gravest([statusOf(findings), ...tools.map((tool) => tool.status), ...tasks.map((task) => task.status)])
  return { environmentId, status, findings, tools, tasks, mutants, killed, verifierKillRate }
}

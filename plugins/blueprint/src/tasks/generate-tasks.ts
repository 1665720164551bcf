import type { DraftWorld, RandomStream, Task, Tool, ToolCall } from 'rlenv'
import { canonicalJson } from 'rlenv'
import { type Candidate, refusal } from './admission.ts'
import { composeInstruction } from './compose-instruction.ts'
import { createGoal, updateGoal } from './edit-goals.ts'
import { type Goal, type GoalKind, goalKinds } from './goal.ts'
import { type GoalPlan, scheduleGoals } from './goal-schedule.ts'
import { instructionFault } from './instruction-lint.ts'
import { askGoal, countGoal } from './question-goals.ts'
import { Wording } from './wording.ts'
import type { Workbench } from './workbench.ts'
import { adjustGoal, assignGoal, deleteGoal, statusGoal, transferGoal } from './write-goals.ts'

export interface TaskRequest {
  readonly bench: Workbench
  readonly world: DraftWorld
  /** Tasks that exist already; new ones differ from them. */
  readonly existing: readonly Task[]
  readonly count: number
  /** What a curriculum asks for; named kinds of goals come more often. */
  readonly guidelines: readonly string[]
  readonly lexSame: number
  readonly shares: { readonly two: number; readonly three: number }
  readonly random: RandomStream
}

const makers: Readonly<Record<GoalKind, (bench: Workbench, wording: Wording) => Goal | null>> = {
  status: statusGoal,
  adjust: adjustGoal,
  assign: assignGoal,
  transfer: transferGoal,
  update: updateGoal,
  create: createGoal,
  delete: deleteGoal,
  ask: askGoal,
  count: countGoal,
}

const fewestCalls = 2
const mostCalls = 10
const triesPerTask = 14

/** New tasks of an environment, each proved by running its gold calls. */
export function generateTasks(request: TaskRequest): readonly Task[] {
  return new TaskWriter(request).write()
}

class TaskWriter {
  readonly #request: TaskRequest
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #taken: Set<string>
  readonly #answers = new Set<string>()

  constructor(request: TaskRequest) {
    this.#request = request
    this.#tools = new Map(request.bench.tools.map(({ tool }) => [tool.name, tool]))
    this.#taken = new Set(request.existing.flatMap((task) => [task.instruction, canonicalJson(task.gold.calls)]))
  }

  write(): readonly Task[] {
    const { bench, count, random, shares, guidelines } = this.#request
    const boosted = goalKinds.filter((kind) => guidelines.some((guideline) => mentions(guideline, kind)))
    const kinds = availableKinds(bench)
    const plans = scheduleGoals(count, kinds, shares, boosted, random)
    const tasks: Task[] = []
    for (const [index, plan] of plans.entries()) {
      const candidate = this.#candidate(plan, index) ?? this.#anyOther(kinds, index)
      if (candidate !== null) tasks.push(this.#task(candidate, this.#request.existing.length + tasks.length + 1))
    }
    return tasks
  }

  /** A task of whatever kind can be made, when the wanted one cannot. */
  #anyOther(kinds: readonly GoalKind[], index: number): Candidate | null {
    for (const kind of this.#request.random.fork('other', index).shuffle(kinds)) {
      const candidate = this.#candidate([kind], index)
      if (candidate !== null) return candidate
    }
    return null
  }

  #candidate(plan: GoalPlan, index: number): Candidate | null {
    const { random, bench, world } = this.#request
    for (let attempt = 0; attempt < triesPerTask; attempt++) {
      const wording = new Wording(random.fork('task', index, plan.join('+'), attempt), this.#request.lexSame)
      const goals = makeGoals(bench, wording, plan)
      const candidate = goals === null ? null : composeCandidate(goals, wording.random)
      if (candidate === null || !this.#fresh(candidate)) continue
      if (refusal(candidate, this.#tools, world) !== null) continue
      this.#taken.add(candidate.instruction)
      this.#taken.add(canonicalJson(candidate.calls))
      if (candidate.answer !== null) this.#answers.add(String(candidate.answer))
      return candidate
    }
    return null
  }

  /** No second task with the same text, the same solution, or the same answer. */
  #fresh(candidate: Candidate): boolean {
    if (this.#taken.has(candidate.instruction) || this.#taken.has(canonicalJson(candidate.calls))) return false
    return candidate.answer === null || !this.#answers.has(String(candidate.answer))
  }

  #task(candidate: Candidate, ordinal: number): Task {
    const { scenarioId } = this.#request.bench.plan
    return {
      id: `${scenarioId}/t${String(ordinal).padStart(3, '0')}`,
      environmentId: scenarioId,
      instruction: candidate.instruction,
      kind: kindOf(candidate.goals),
      difficulty: difficultyOf(candidate),
      gold: { calls: candidate.calls, answer: candidate.answer },
      guidelines: this.#request.guidelines,
    }
  }
}

/** Kinds for which the tools offer something. */
function availableKinds(bench: Workbench): readonly GoalKind[] {
  const acts = new Set(
    bench.withRole('act').map((tool) => bench.entity(tool.entity).acts[tool.role.act]?.blueprint.kind as GoalKind),
  )
  const offered: Partial<Record<GoalKind, boolean>> = {
    update: bench.withRole('update').length + bench.withRole('update-field').length > 0,
    create: bench.withRole('create').length > 0,
    delete: bench.withRole('delete').length > 0,
    ask: true,
    count: bench.withRole('children').length > 0,
  }
  return goalKinds.filter((kind) => offered[kind] ?? acts.has(kind))
}

/** Goals of a plan that do not get into each other's way; null when one cannot be made. */
function makeGoals(bench: Workbench, wording: Wording, plan: GoalPlan): readonly Goal[] | null {
  const goals: Goal[] = []
  for (const kind of plan) {
    const goal = makers[kind](bench, wording)
    if (goal === null || goals.some((other) => interfere(other, goal))) return null
    goals.push(goal)
  }
  return goals
}

/** One changes what the other finds its rows by, or both change rows of one entity. */
function interfere(left: Goal, right: Goal): boolean {
  const touches = (writer: Goal, reader: Goal): boolean =>
    writer.writes.some((entity) => reader.reads.includes(entity) || reader.writes.includes(entity))
  return touches(left, right) || touches(right, left)
}

function composeCandidate(goals: readonly Goal[], random: RandomStream): Candidate | null {
  const calls = withoutRepeats(goals.flatMap((goal) => goal.calls))
  if (calls.length < fewestCalls || calls.length > mostCalls) return null
  const instruction = composeInstruction(goals, random)
  if (instructionFault(instruction) !== null) return null
  return { instruction, goals, calls, answer: goals.at(-1)?.answer ?? null }
}

/** Looking the same thing up twice tells nothing new. Frozen, so that a world need not carry them out again. */
function withoutRepeats(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>()
  const distinct = calls.filter((call) => {
    const text = canonicalJson(call)
    return seen.has(text) ? false : seen.add(text)
  })
  return Object.freeze(distinct)
}

function kindOf(goals: readonly Goal[]): string {
  if (goals.length === 1) return goals[0]?.kind ?? 'status'
  return goals.length === 2 ? 'two-goals' : 'three-goals'
}

/** From the number of calls, goals and the depth of references; 0 to 1. */
function difficultyOf(candidate: Candidate): number {
  const depth = Math.max(...candidate.goals.map((goal) => goal.depth))
  const raw = (candidate.calls.length - fewestCalls) * 0.08 + (candidate.goals.length - 1) * 0.13 + depth * 0.08
  return Math.round(Math.min(1, raw) * 100) / 100
}

/** Whether a curriculum's sentence names a kind of goal. */
function mentions(guideline: string, kind: GoalKind): boolean {
  return new RegExp(`\\b${kind}`, 'i').test(guideline)
}

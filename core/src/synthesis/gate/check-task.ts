import type { Clock } from '../../determinism/clock.ts'
import { canonicalJson } from '../../determinism/content-hash.ts'
import type { RandomStream } from '../../determinism/random-stream.ts'
import type { ExecutableEnvironment } from '../../environment/executable-environment.ts'
import type { HookContext } from '../../hooks/contexts.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import { settleWithin } from '../../rollout/deadline.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { GoldRun, Task } from '../../vocabulary/task.ts'
import type { Tool } from '../../vocabulary/tool.ts'
import { finding, type GateFinding, statusOf, type TaskReport } from './gate-report.ts'
import type { HypotheticalStates } from './hypothetical-state.ts'
import { type Exhibit, Judge, NoVerdict } from './judgement.ts'
import { mutantsOf, wrongAnswers } from './mutants.ts'
import type { RandomAgent } from './random-agent.ts'
import { answerText } from './scripted-trajectory.ts'
import { unrelatedChange } from './unrelated-change.ts'

/** What the checks of one environment's tasks share. */
export interface TaskChecks {
  readonly environment: Environment
  readonly executable: ExecutableEnvironment
  readonly states: HypotheticalStates
  readonly agent: RandomAgent
  readonly pipeline: Pipeline
  readonly context: HookContext
  readonly clock: Clock
  /** How long all verdicts on one task may take together, in milliseconds. */
  readonly verifierTimeoutMs: number
}

/** Everything that the checks of one task share. */
interface Case extends TaskChecks {
  readonly task: Task
  readonly gold: GoldRun
  readonly judge: Judge
  readonly random: RandomStream
}

interface Tally {
  mutants: number
  killed: number
  noticesSideEffects: boolean | null
}

/**
 * Checks a task by execution. Its reference solution must run and do something; its verifier must refuse the untouched
 * state, accept the reference solution every time, and change its mind when a touched row, or the answer, is another
 * one; an unrelated change, a random agent and words without deeds must not pass.
 */
export async function checkTask(task: Task, random: RandomStream, checks: TaskChecks): Promise<TaskReport> {
  const { context, clock, verifierTimeoutMs } = checks
  const tally: Tally = { mutants: 0, killed: 0, noticesSideEffects: null }
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const checking = taskFindings(task, random, { ...checks, context: { ...context, signal } }, tally)
  const settled = await settleWithin(checking, verifierTimeoutMs, context.signal, clock)
  context.signal.throwIfAborted()
  if (settled.kind === 'failed') throw settled.cause
  const findings = settled.kind === 'value' ? settled.value : [late(verifierTimeoutMs)]
  if (settled.kind === 'timeout') {
    checks.states.close()
    stop.abort(new Error('the verifier took too long'))
  }
  return { id: task.id, status: statusOf(findings), findings, ...tally }
}

function late(ms: number): GateFinding {
  return finding('verifier_timeout', `the verifier had not given its verdicts after ${ms} ms`)
}

async function taskFindings(
  task: Task,
  random: RandomStream,
  checks: TaskChecks,
  tally: Tally,
): Promise<readonly GateFinding[]> {
  const { environment, executable, pipeline, context } = checks
  const played = playGold(task, executable, environment.seed)
  try {
    const unfit = goldFindings(played.gold, environment.tools)
    if (unfit.length > 0) return unfit
    const stored = environment.verifiers[task.id]
    if (stored === undefined) return [finding('verifier_missing', 'the task has no verifier')]
    const judge = new Judge({ environment, task, verifier: stored, initial: executable.initial }, pipeline, context)
    const all = { ...checks, task, gold: played.gold, judge, random }
    return await judgedFindings(all, played, tally)
  } finally {
    played.close()
  }
}

async function judgedFindings(all: Case, played: PlayedGold, tally: Tally): Promise<readonly GateFinding[]> {
  const findings: GateFinding[] = []
  try {
    findings.push(...(await untouched(all)), ...(await goldPasses(all, played)))
    for (const check of [unrelated, wordsAlone, randomAgent]) findings.push(...(await check(all)))
    findings.push(...(await mutants(all, tally)))
    tally.noticesSideEffects = await sideEffects(all)
  } catch (thrown) {
    if (!(thrown instanceof NoVerdict)) throw thrown
    findings.push(thrown.finding)
  }
  return findings
}

/** A reference solution carried out, and the world that it left behind, until it is closed. */
interface PlayedGold {
  readonly gold: GoldRun
  readonly exhibit: Exhibit
  close(): void
}

function playGold({ gold: { calls, answer } }: Task, executable: ExecutableEnvironment, seed: number): PlayedGold {
  const instance = executable.open({ seed })
  const done = calls.map((call) => ({ call, ...instance.call(call.tool, call.arguments) }))
  const { final, diff } = instance.capture()
  return {
    gold: { calls: done, diff, answer, succeeded: done.every(({ result }) => result.ok) },
    exhibit: { script: 'gold', calls: done, answer: answerText(answer), final, diff },
    close: () => instance.close(),
  }
}

/** What is wrong with a reference solution, whoever verifies it. */
export function goldFindings(gold: GoldRun, tools: readonly Tool[]): readonly GateFinding[] {
  const failed = gold.calls.find(({ result }) => !result.ok)
  if (failed !== undefined && !failed.result.ok) {
    return [finding('gold_failed', `the gold run fails at ${failed.call.tool}: ${failed.result.error.message}`)]
  }
  if (gold.diff.length > 0 || gold.answer !== null || tracelessActs(gold, tools).length > 0) return []
  return [
    finding('gold_without_effect', 'the gold run changes nothing, and the task asks for neither an act nor an answer'),
  ]
}

/** Positions of calls of write tools that left no trace in the database, such as handing over to a person. */
function tracelessActs(gold: GoldRun, tools: readonly Tool[]): readonly number[] {
  const writes = new Set(tools.filter(({ effect }) => effect === 'write').map(({ name }) => name))
  return gold.calls.flatMap(({ call, diff }, index) => (writes.has(call.tool) && diff.length === 0 ? [index] : []))
}

const goldAnswer = ({ task }: Case) => answerText(task.gold.answer)

function onInitial({ executable }: Case, script: string, answer: string): Exhibit {
  return { script, calls: [], answer, final: executable.initial, diff: [] }
}

async function untouched(all: Case): Promise<readonly GateFinding[]> {
  if (!(await all.judge.passes(onInitial(all, 'untouched', answerText(null))))) return []
  return [finding('holds_untouched', 'the verifier passes although nothing was done: the goal holds already')]
}

/** Two gold runs in worlds of different seeds, the first judged twice. */
async function goldPasses(all: Case, first: PlayedGold): Promise<readonly GateFinding[]> {
  const { executable, environment, task, judge } = all
  const verdict = await judge.verdict(first.exhibit)
  if (!verdict.passed) return [goldRejected(verdict)]
  const again = await judge.verdict(first.exhibit)
  first.close()
  if (canonicalJson(again) !== canonicalJson(verdict)) {
    return [finding('verifier_unsteady', 'the verifier gave two verdicts about one and the same gold run')]
  }
  const second = playGold(task, executable, environment.seed + 1)
  try {
    const other = await judge.verdict(second.exhibit)
    return other.passed ? [] : [goldRejected(other)]
  } finally {
    second.close()
  }
}

function goldRejected(verdict: Verdict): GateFinding {
  return finding('gold_rejected', `the verifier refuses the gold run: ${reasonsOf(verdict)}`)
}

function reasonsOf(verdict: Verdict): string {
  const missed = verdict.evidence.filter(({ passed }) => !passed).map(({ name }) => name)
  return missed.length > 0 ? missed.slice(0, 3).join('; ') : 'it names no reason'
}

async function mutants(all: Case, tally: Tally): Promise<readonly GateFinding[]> {
  const { gold, task, executable } = all
  const answer = goldAnswer(all)
  const findings: GateFinding[] = []
  for (const { name, diff } of mutantsOf(gold.diff, task.gold.calls, executable.image.tables)) {
    findings.push(...(await mutant(all, tally, `with ${name}`, { diff, answer, calls: gold.calls })))
  }
  for (const position of tracelessActs(gold, all.environment.tools)) {
    const calls = gold.calls.filter((_call, index) => index !== position)
    const name = `without the call of ${gold.calls[position]?.call.tool}`
    findings.push(...(await mutant(all, tally, name, { diff: gold.diff, answer, calls })))
  }
  const wrong = task.gold.answer === null ? [] : [...wrongAnswers(task.gold.answer), null].map(answerText)
  for (const words of wrong) {
    findings.push(
      ...(await mutant(all, tally, `with the answer "${words}"`, {
        diff: gold.diff,
        answer: words,
        calls: gold.calls,
      })),
    )
  }
  return findings
}

/** Shows the verifier a gold run that went wrong in one thing. */
async function mutant(
  { states, judge }: Case,
  tally: Tally,
  name: string,
  { diff: wanted, answer, calls }: Pick<Exhibit, 'diff' | 'answer' | 'calls'>,
): Promise<readonly GateFinding[]> {
  const passes = await states.show(wanted, ({ reader, diff }) => {
    return judge.passes({ script: 'mutant', calls, answer, final: reader, diff })
  })
  if (passes === null) return []
  tally.mutants += 1
  if (passes) return [finding('mutant_survived', `the verifier still passes ${name}`)]
  tally.killed += 1
  return []
}

/** A verifier that only asks whether something changed would pass. */
async function unrelated(all: Case): Promise<readonly GateFinding[]> {
  if (all.gold.diff.length === 0) return []
  const change = unrelatedChange(all.gold.diff, all.executable, all.random.fork('unrelated'))
  if (change === null) return []
  const passes = await all.states.show([change], ({ reader, diff }) => {
    return all.judge.passes({ script: 'unrelated change', calls: [], answer: goldAnswer(all), final: reader, diff })
  })
  if (passes !== true) return []
  return [
    finding('irrelevant_change_passes', `the verifier passes when only an unrelated row of ${change.table} changed`),
  ]
}

async function sideEffects(all: Case): Promise<boolean | null> {
  const { gold, judge } = all
  const change = unrelatedChange(gold.diff, all.executable, all.random.fork('side effect'))
  if (change === null) return null
  const passes = await all.states.show([...gold.diff, change], ({ reader, diff }) => {
    return judge.passes({ script: 'side effect', calls: gold.calls, answer: goldAnswer(all), final: reader, diff })
  })
  return passes === null ? null : !passes
}

/** The instruction echoed, and where the task writes, the right answer without the deed. */
async function wordsAlone(all: Case): Promise<readonly GateFinding[]> {
  const { task, gold, judge } = all
  const words = gold.diff.length > 0 ? [task.instruction, goldAnswer(all)] : [task.instruction]
  for (const answer of words) {
    if (await judge.passes(onInitial(all, 'words alone', answer))) {
      return [
        finding('words_alone_pass', `the verifier passes on the words "${answer.slice(0, 80)}" without a single call`),
      ]
    }
  }
  return []
}

async function randomAgent(all: Case): Promise<readonly GateFinding[]> {
  const { task, agent, judge } = all
  const passes = await agent.play(task, all.random.fork('random agent'), (exhibit) => judge.passes(exhibit))
  return passes ? [finding('random_agent_passes', 'an agent that calls tools at random passes')] : []
}

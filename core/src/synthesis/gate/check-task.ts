import type { Clock } from '../../determinism/clock.ts'
import { canonicalJson } from '../../determinism/content-hash.ts'
import type { RandomStream } from '../../determinism/random-stream.ts'
import type { ExecutableEnvironment } from '../../environment/executable-environment.ts'
import { runGold } from '../../environment/run-gold.ts'
import type { HookContext } from '../../hooks/contexts.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import { settleWithin } from '../../rollout/deadline.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { GoldRun, Task } from '../../vocabulary/task.ts'
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
  const gold = runGold(executable, task.gold.calls, task.gold.answer, environment.seed)
  const unfit = goldFindings(gold)
  if (unfit.length > 0) return unfit
  const stored = environment.verifiers[task.id]
  if (stored === undefined) return [finding('verifier_missing', 'the task has no verifier')]
  const judge = new Judge({ environment, task, verifier: stored, initial: executable.initial }, pipeline, context)
  const all = { ...checks, task, gold, judge, random }
  const findings: GateFinding[] = []
  try {
    for (const check of [untouched, goldPasses, unrelated, wordsAlone, randomAgent])
      findings.push(...(await check(all)))
    findings.push(...(await mutants(all, tally)), ...(await wrongWords(all, tally)))
    tally.noticesSideEffects = await sideEffects(all)
  } catch (thrown) {
    if (!(thrown instanceof NoVerdict)) throw thrown
    findings.push(thrown.finding)
  }
  return findings
}

/** What is wrong with a reference solution, whoever verifies it. */
export function goldFindings(gold: GoldRun): readonly GateFinding[] {
  const failed = gold.calls.find(({ result }) => !result.ok)
  if (failed !== undefined && !failed.result.ok) {
    return [finding('gold_failed', `the gold run fails at ${failed.call.tool}: ${failed.result.error.message}`)]
  }
  if (gold.diff.length > 0 || gold.answer !== null) return []
  return [finding('gold_without_effect', 'the gold run changes nothing and the task asks for no answer')]
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
async function goldPasses(all: Case): Promise<readonly GateFinding[]> {
  const { executable, environment, task, judge } = all
  for (const seed of [environment.seed, environment.seed + 1]) {
    const instance = executable.open({ seed })
    try {
      const calls = task.gold.calls.map((call) => ({ call, ...instance.call(call.tool, call.arguments) }))
      const { final, diff } = instance.capture()
      const exhibit: Exhibit = { script: 'gold', calls, answer: goldAnswer(all), final, diff }
      const verdict = await judge.verdict(exhibit)
      if (!verdict.passed) return [finding('gold_rejected', `the verifier refuses the gold run: ${reasonsOf(verdict)}`)]
      if (seed !== environment.seed) continue
      if (canonicalJson(await judge.verdict(exhibit)) !== canonicalJson(verdict)) {
        return [finding('verifier_unsteady', 'the verifier gave two verdicts about one and the same gold run')]
      }
    } finally {
      instance.close()
    }
  }
  return []
}

function reasonsOf(verdict: {
  readonly evidence: readonly { readonly name: string; readonly passed: boolean }[]
}): string {
  const missed = verdict.evidence.filter(({ passed }) => !passed).map(({ name }) => name)
  return missed.length > 0 ? missed.slice(0, 3).join('; ') : 'it names no reason'
}

async function mutants(all: Case, tally: Tally): Promise<readonly GateFinding[]> {
  const { gold, task, executable, states, judge } = all
  const survivors: string[] = []
  for (const { name, diff } of mutantsOf(gold.diff, task.gold.calls, executable.image.tables)) {
    const passes = await states.show(diff, (state) => {
      return judge.passes({
        script: 'mutant',
        calls: gold.calls,
        answer: goldAnswer(all),
        final: state.reader,
        diff: state.diff,
      })
    })
    if (passes === null) continue
    tally.mutants += 1
    if (passes) survivors.push(name)
    else tally.killed += 1
  }
  return survivors.map((name) => finding('mutant_survived', `the verifier still passes with ${name}`))
}

async function wrongWords(all: Case, tally: Tally): Promise<readonly GateFinding[]> {
  const { gold, task, states, judge } = all
  if (task.gold.answer === null) return []
  const survivors: string[] = []
  for (const wrong of [...wrongAnswers(task.gold.answer), null]) {
    const answer = answerText(wrong)
    const passes = await states.show(gold.diff, ({ reader, diff }) => {
      return judge.passes({ script: 'wrong answer', calls: gold.calls, answer, final: reader, diff })
    })
    if (passes === null) continue
    tally.mutants += 1
    if (passes) survivors.push(answer)
    else tally.killed += 1
  }
  return survivors.map((answer) => finding('mutant_survived', `the verifier still passes with the answer "${answer}"`))
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

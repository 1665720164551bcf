import { RandomStream } from '../../src/determinism/random-stream.ts'
import type { JudgeInput } from '../../src/hooks/contexts.ts'
import type { Awaitable } from '../../src/hooks/pipeline-hooks.ts'
import type { GateReport, TaskReport } from '../../src/synthesis/gate/gate-report.ts'
import { type ValidateOptions, validateEnvironment } from '../../src/synthesis/gate/validate-environment.ts'
import { pipelineOf } from '../../src/testing/contracts/pipeline-of.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { tinyPlugin } from '../../src/testing/tiny-plugin.ts'
import { tinyVerifier } from '../../src/testing/tiny-verifier.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import type { Verdict } from '../../src/vocabulary/outcome.ts'
import type { Task } from '../../src/vocabulary/task.ts'
import type { Tool } from '../../src/vocabulary/tool.ts'

export type JudgeFunction = (input: JudgeInput) => Awaitable<Verdict | undefined>

/** The gate's report on an environment whose verifiers are read by `judge`. Default: the tiny library's. */
export async function gateOf(
  environment: Environment = tinyEnvironment(),
  judge: JudgeFunction = (input) => tinyVerifier.judge(input, {} as never),
  options: Partial<ValidateOptions> = {},
): Promise<GateReport> {
  const pipeline = await pipelineOf(tinyPlugin({ hooks: { verifier: { prepare: () => undefined, judge } } }))
  const signal = new AbortController().signal
  return validateEnvironment(environment, { pipeline, random: RandomStream.of(1, 'gate'), signal, ...options })
}

/** A verdict from a yes or no. */
export function verdictOf(passed: boolean): Verdict {
  return { kind: passed ? 'passed' : 'failed', passed, score: passed ? 1 : 0, evidence: [] }
}

/** The tiny library with another tool besides its own, or in place of the one of the same name. */
export function withTool(tool: Partial<Tool> & Pick<Tool, 'name'>): Environment {
  const tiny = tinyEnvironment()
  const base = tiny.tools.find(({ name }) => name === tool.name) ?? tiny.tools[2]!
  return { ...tiny, tools: [...tiny.tools.filter(({ name }) => name !== tool.name), { ...base, ...tool }] }
}

/** The tiny library with one task changed. */
export function withTask(local: string, change: (task: Task) => Task): Environment {
  const tiny = tinyEnvironment()
  return { ...tiny, tasks: tiny.tasks.map((task) => (task.id === `tiny-library/${local}` ? change(task) : task)) }
}

/** Codes of all findings about one task. */
export function codesOf(report: GateReport, local: string): string[] {
  return taskOf(report, local).findings.map(({ code }) => code)
}

export function taskOf(report: GateReport, local: string): TaskReport {
  return report.tasks.find(({ id }) => id === `tiny-library/${local}`)!
}

/** The tiny library's own verdict. */
export const tiny: JudgeFunction = (input) => tinyVerifier.judge(input, {} as never)
/** The tiny library's verifier, except for one task. */
export const except = (local: string, judge: JudgeFunction): JudgeFunction => {
  return (input) => (input.task.id === `tiny-library/${local}` ? judge(input) : tiny(input))
}
/** A verifier that is a yes or no. */
export const when = (passes: (input: Parameters<JudgeFunction>[0]) => boolean): JudgeFunction => {
  return (input) => verdictOf(passes(input))
}

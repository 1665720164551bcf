import {
  type Json,
  type JudgeInput,
  runVerifierScript,
  type StateDiff,
  type StateReader,
  type Trajectory,
  type Verdict,
  type VerifierScriptResult,
} from 'rlenv'
import { readsWorld } from './reads-world.ts'

/** Most script texts that are remembered as sound. */
const mostRemembered = 4096

/** Judges by verifier scripts. Whatever goes wrong in one leaves the rollout unscored; it never becomes a number. */
export class ScriptJudge {
  /** Scripts that refused the untouched world once; the oldest go first. */
  readonly #sound = new Set<string>()

  async judge(input: JudgeInput): Promise<Verdict> {
    const { file } = input.verifier
    const source = typeof file === 'string' ? input.environment.scripts[file] : undefined
    if (typeof file !== 'string' || source === undefined) return unscored(`there is no verifier script ${String(file)}`)
    if (!readsWorld(source)) return unscored(`${file} never reads the world`)
    const result = await this.#run(file, source, input, input.final, input.diff)
    if (result.kind !== 'evidence') return unscored(reasonOf(result, input))
    const verdict = verdictOf(result)
    return verdict.passed && (await this.#ignoresWorld(file, source, input))
      ? unscored(`${file} passes without what it was asked for: its verdict does not depend on the world`)
      : verdict
  }

  /** Whether a script that passes also passes when nothing at all was changed, though the task demands a change. */
  async #ignoresWorld(file: string, source: string, input: JudgeInput): Promise<boolean> {
    if (input.diff.length === 0 || !demandsChange(input) || this.#sound.has(source)) return false
    const untouched = await this.#run(file, source, input, input.initial, [])
    if (untouched.kind === 'evidence' && verdictOf(untouched).passed) return true
    const [oldest] = this.#sound
    if (this.#sound.size >= mostRemembered && oldest !== undefined) this.#sound.delete(oldest)
    this.#sound.add(source)
    return false
  }

  #run(
    file: string,
    source: string,
    input: JudgeInput,
    final: StateReader,
    diff: StateDiff,
  ): Promise<VerifierScriptResult> {
    const { initial, trajectory, environment } = input
    const parts = { initial, final, diff, answer: trajectory.answer, calls: callsOf(trajectory) }
    return runVerifierScript({ file, source }, parts, { clock: environment.database.clock })
  }
}

/** Whether the reference solution writes. */
function demandsChange({ task, environment }: JudgeInput): boolean {
  const writes = new Set(environment.tools.filter((tool) => tool.effect === 'write').map((tool) => tool.name))
  return task.gold.calls.some((call) => writes.has(call.tool))
}

function callsOf(trajectory: Trajectory): Json {
  return trajectory.turns.flatMap((turn) =>
    turn.calls.map(({ name, serverName, arguments: args, result }) => ({
      tool: serverName ?? name,
      arguments: args,
      result: result.ok ? { ok: true, content: result.content } : { ok: false, error: { code: result.error.code } },
    })),
  )
}

function verdictOf({ passed: said, checks }: Extract<VerifierScriptResult, { readonly kind: 'evidence' }>): Verdict {
  const held = checks.filter((check) => check.passed).length
  const passed = said && held === checks.length
  const score = passed ? 1 : Math.min(checks.length === 0 ? 0 : held / checks.length, 0.99)
  const evidence = checks.length > 0 ? checks : [{ name: 'the script is satisfied', passed: said }]
  return { kind: passed ? 'passed' : 'failed', passed, score, evidence }
}

function reasonOf(result: Exclude<VerifierScriptResult, { readonly kind: 'evidence' }>, { task }: JudgeInput): string {
  if (result.kind === 'timeout') return `verifier timeout: ${result.message} (task ${task.id})`
  const stack = result.stack === '' ? '' : `\n${result.stack}`
  return `verifier failed: ${result.message} (task ${task.id})${stack}`
}

function unscored(reason: string): Verdict {
  return { kind: 'unscored', passed: false, score: 0, evidence: [], reason }
}

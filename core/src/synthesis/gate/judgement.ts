import { isRlenvError, messageOf } from '../../errors/rlenv-error.ts'
import type { HookContext, JudgeInput } from '../../hooks/contexts.ts'
import type { StateReader } from '../../hooks/world.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { StateDiff } from '../../vocabulary/state-diff.ts'
import type { GoldRun, StoredVerifier } from '../../vocabulary/task.ts'
import { finding, type GateFinding } from './gate-report.ts'
import { scriptedTrajectory } from './scripted-trajectory.ts'

/** What a verifier is shown: who did what, what was said, and the states before and after. */
export interface Exhibit {
  /** Name of the script that is played, for example "gold". */
  readonly script: string
  readonly calls: GoldRun['calls']
  readonly answer: string
  readonly final: StateReader
  readonly diff: StateDiff
}

/** Thrown where a verifier gave no verdict; ends the checks of its task. */
export class NoVerdict extends Error {
  override readonly name = 'NoVerdict'
  readonly finding: GateFinding

  constructor(objection: GateFinding, cause?: unknown) {
    super(objection.message, { cause })
    this.finding = objection
  }
}

/** The verifier of one task. */
export class Judge {
  readonly #parts: Omit<JudgeInput, 'trajectory' | 'final' | 'diff'>
  readonly #pipeline: Pipeline
  readonly #context: HookContext

  constructor(parts: Omit<JudgeInput, 'trajectory' | 'final' | 'diff'>, pipeline: Pipeline, context: HookContext) {
    this.#parts = parts
    this.#pipeline = pipeline
    this.#context = context
  }

  /** @throws {NoVerdict} when the verifier threw, could not say, or is one that no plugin reads. */
  async verdict({ script, calls, answer, final, diff }: Exhibit): Promise<Verdict> {
    const { environment, task, verifier, initial } = this.#parts
    const trajectory = scriptedTrajectory({ task, script, seed: environment.seed, calls, answer, diff })
    try {
      const input: JudgeInput = { environment, task, verifier, trajectory, initial, final, diff }
      const verdict = await this.#pipeline.judge(input, this.#context)
      return scored(verdict, verifier, script)
    } catch (thrown) {
      this.#context.signal.throwIfAborted()
      throw failure(thrown, script)
    }
  }

  async passes(exhibit: Exhibit): Promise<boolean> {
    return (await this.verdict(exhibit)).passed
  }
}

function scored(verdict: Verdict | undefined, verifier: StoredVerifier, script: string): Verdict {
  if (verdict === undefined) {
    throw new NoVerdict(finding('verifier_failed', `no plugin reads stored verifiers of kind "${verifier.kind}"`))
  }
  if (verdict.kind !== 'unscored') return verdict
  throw new NoVerdict(
    finding('verifier_unscored', `the verifier could not say (${script}): ${verdict.reason ?? 'no reason given'}`),
  )
}

function failure(cause: unknown, script: string): unknown {
  if (!isRlenvError(cause)) return cause
  if (cause.code === 'RLENV_PLUGIN_STALLED') return new NoVerdict(finding('verifier_timeout', messageOf(cause)), cause)
  return new NoVerdict(finding('verifier_failed', `${messageOf(cause)} (${script})`), cause)
}

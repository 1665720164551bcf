import { type CodeVerifierOptions, codeVerifier } from '@rlenv/verifier-code'
import {
  type AssembledPipeline,
  assemblePipeline,
  draftWorld,
  type Environment,
  type GoldRun,
  type Json,
  type StoredVerifier,
  scriptedTrajectory,
  type Task,
  type ToolCall,
  type Verdict,
} from 'rlenv'
import { testContext } from 'rlenv/testing'

const seed = 1

/** An environment under a real pipeline, in which tests play calls and ask the verifier. */
export class JudgedRuns {
  readonly #environment: Environment
  readonly #pipeline: AssembledPipeline

  private constructor(environment: Environment, pipeline: AssembledPipeline) {
    this.#environment = environment
    this.#pipeline = pipeline
  }

  static async of(environment: Environment, options: CodeVerifierOptions = {}): Promise<JudgedRuns> {
    const plugins = [codeVerifier(options)]
    return new JudgedRuns(environment, await assemblePipeline([{ name: 'test', plugins }]))
  }

  get #parts() {
    const { database, tools, scripts } = this.#environment
    return { database, toolset: { tools, scripts }, seed }
  }

  prepare(task: Task): Promise<StoredVerifier> {
    const { scenario } = this.#environment
    const world = draftWorld(this.#parts)
    const goldRun = world.run(task.gold.calls, task.gold.answer)
    return this.#pipeline.prepareVerifier(task, {
      ...testContext(seed, task.id),
      ...this.#parts,
      spend: () => undefined,
      attempt: 1,
      feedback: null,
      scenario,
      world,
      task,
      goldRun,
    })
  }

  /** Plays the calls on a fresh instance and judges what came of it. */
  async judge(
    task: Task,
    verifier: StoredVerifier,
    calls: readonly ToolCall[],
    answer = 'Done.',
  ): Promise<Verdict | undefined> {
    const instance = draftWorld(this.#parts).open()
    try {
      const steps: GoldRun['calls'][number][] = []
      for (const call of calls) {
        steps.push({ call, ...(await instance.call(call.tool, call.arguments as Json, new AbortController().signal)) })
      }
      const state = await instance.capture()
      if (state === null) throw new Error('an executable world shows its state')
      const trajectory = scriptedTrajectory({ task, script: 'test', seed, calls: steps, answer, diff: state.diff })
      const environment = this.#environment
      return await this.#pipeline.judge(
        { environment, task, verifier, trajectory, ...state },
        testContext(seed, 'judge'),
      )
    } finally {
      await instance.close()
    }
  }
}

import { definePlugin, type PluginFactory, type StoredVerifier } from 'rlenv'
import { z } from 'zod'
import { judgeChecks } from './judge-checks.ts'
import { ScriptJudge } from './judge-script.ts'
import { prepareChecks } from './prepare-checks.ts'
import type { AnswerWording } from './stored-checks.ts'

export interface CodeVerifierOptions {
  /**
   * `exact`: the final answer is the value and nothing else. `sentence`: a short sentence that states it and no other
   * candidate passes too. Default "exact".
   */
  readonly answers?: AnswerWording
  /** Whether a failed rollout that reached a part of the goal is called partial. `passed` stays false. Default false. */
  readonly partial?: boolean
  /** Decimals that columns are compared with, by `table.column`, on top of what the database's authors declared. */
  readonly rounding?: Readonly<Record<string, number>>
  /** `table.column` of inserted rows that are not compared, on top of keys that the database makes. */
  readonly volatile?: readonly string[]
}

/** Verifies by declared checks on rows, answer and calls, made from the gold run; also judges by verifier scripts. */
export const codeVerifier: PluginFactory<CodeVerifierOptions> = definePlugin({
  name: '@rlenv/verifier-code',
  version: '0.1.0',
  options: z.strictObject({
    answers: z.enum(['exact', 'sentence']).default('exact'),
    partial: z.boolean().default(false),
    rounding: z.record(z.string(), z.int().min(0).max(15)).default({}),
    volatile: z.array(z.string()).readonly().default([]),
  }),
  setup: (options) => {
    const scripts = new ScriptJudge()
    return {
      verifier: {
        prepare: async (task, context) => (await prepareChecks(task, context, options)) as StoredVerifier | undefined,
        judge: (input) => {
          if (input.verifier.kind === 'checks') return judgeChecks(input, options.partial)
          return input.verifier.kind === 'script' ? scripts.judge(input) : undefined
        },
      },
    }
  },
})

import { expect, test } from 'vitest'
import { systemClock } from '../../src/determinism/clock.ts'
import type { JudgeInput } from '../../src/hooks/contexts.ts'
import { askVerifier } from '../../src/reward/ask-verifier.ts'
import { testContext } from '../../src/testing/test-context.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import type { Verdict } from '../../src/vocabulary/outcome.ts'
import { database, environment, sqlTool } from '../environment/workshop.ts'

const world = environment(
  database('CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER);', 'INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);'),
  [sqlTool('double', {}, [{ kind: 'run', sql: 'INSERT INTO t (k) SELECT k + 100 FROM t' }])],
)
const pairs = 'SELECT count(*) AS n FROM t AS a, t AS b, t AS c, t AS d WHERE a.k + b.k + c.k < d.k'
const passed: Verdict = { kind: 'passed', passed: true, score: 1, evidence: [] }

/** The answer of a verifier about an instance that was doubled so many times. */
function asked(doublings: number, judge: (input: JudgeInput) => Verdict) {
  const instance = world.open({ seed: 1 })
  for (let call = 0; call < doublings; call++) instance.call('double', {})
  const [task] = tinyEnvironment().tasks
  const input = { environment: tinyEnvironment(), task, verifier: { kind: 'any' } } as unknown as JudgeInput
  const pipeline = { judge: async (judged: JudgeInput) => judge(judged) }
  return askVerifier({ input, world: instance, pipeline, context: testContext(), clock: systemClock, timeoutMs: 5_000 })
}

const reads = ({ final }: JudgeInput): Verdict => (final.query(pairs).length === 1 ? passed : { ...passed, score: 0 })

test('a state that its verifier can ask about is scored by what it says', async () => {
  expect(await asked(1, reads)).toEqual({ verdict: passed, cause: undefined })
})

test('a policy that makes more rows than its verifier can ask about has failed, and does not stay unscored', async () => {
  const { verdict, cause } = await asked(8, reads)
  expect(verdict).toMatchObject({ kind: 'failed', passed: false, score: 0 })
  expect(verdict).toHaveProperty('evidence.0.note', expect.stringMatching(/^the state cannot be asked: "SELECT count/))
  expect(cause).toMatchObject({ code: 'RLENV_STATE_TOO_LARGE' })
})

test('nor does it pass where its verifier goes on without an answer', async () => {
  const { verdict } = await asked(8, (input) => {
    try {
      return reads(input)
    } catch {
      return passed
    }
  })
  expect(verdict).toMatchObject({ kind: 'failed', passed: false })
})

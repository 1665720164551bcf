import type { Environment, Task } from 'rlenv'
import { tinyEnvironment } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'
import { readsWorld } from '../src/reads-world.ts'
import { JudgedRuns } from './judged-runs.ts'

const tiny = tinyEnvironment()
const lend = tiny.tasks.find(({ kind }) => kind === 'create') as Task
const ask = tiny.tasks.find(({ gold }) => gold.answer !== null) as Task
const file = 'verifiers/lend.ts'
const verifier = { kind: 'script', file }

async function verdictBy(source: string, task: Task = lend, answer = 'Done.') {
  const environment: Environment = { ...tiny, scripts: { [file]: source } }
  const runs = await JudgedRuns.of(environment)
  return runs.judge(task, verifier, task.gold.calls, answer)
}

const counting = `export default ({ initial, final }) => {
  const more = final.rows('loans').length - initial.rows('loans').length
  return { passed: more === 1, checks: [{ name: 'one loan more', passed: more === 1, expected: 1, actual: more }] }
}`

describe('a verifier script', () => {
  test('gives a verdict with its own evidence', async () => {
    expect(await verdictBy(counting)).toMatchObject({
      kind: 'passed',
      passed: true,
      score: 1,
      evidence: [{ name: 'one loan more', expected: 1, actual: 1 }],
    })
  })
  test('fails a rollout when one of its checks fails', async () => {
    const verdict = await verdictBy(counting.replaceAll('more === 1', 'more === 2'))
    expect(verdict).toMatchObject({ kind: 'failed', passed: false, score: 0 })
  })
  test('that throws leaves the rollout unscored, with stack and task', async () => {
    const source = `export default ({ final }) => {
      const rows = final.query("SELECT id FROM members WHERE name = 'Nobody'")
      return { passed: rows[0].id === 1, checks: [] }
    }`
    const verdict = await verdictBy(source)
    expect(verdict).toMatchObject({ kind: 'unscored', passed: false, score: 0 })
    expect(verdict?.reason).toMatch(/^verifier failed: verifiers\/lend\.ts: .*task tiny-library\/lend\)\n.*at /s)
  })
  test.each([
    ['never ends', 'export default ({ final }) => { while (final) {} }'],
    ['awaits for ever', 'export default async ({ final }) => { await new Promise(() => final) }'],
  ])(
    'that %s leaves the rollout unscored and lets the others go on',
    async (_what, source) => {
      const [hung, fine] = await Promise.all([verdictBy(source), verdictBy(counting)])
      expect(hung).toMatchObject({ kind: 'unscored', passed: false })
      expect(hung?.reason).toMatch(/^verifier (timeout|failed): /)
      expect(fine?.passed).toBe(true)
    },
    15_000,
  )
  test('that only looks for words in the answer is refused', async () => {
    const source = `export default ({ answer, final, diff }) => ({ passed: answer.includes('Done'), checks: [] })`
    expect(await verdictBy(source)).toMatchObject({
      kind: 'unscored',
      reason: expect.stringContaining('never reads the world'),
    })
  })
  test('that reads the world for show is refused, because its verdict does not depend on it', async () => {
    const source = `export default ({ answer, final }) => {
      final.rows('loans')
      return { passed: answer.includes('Done'), checks: [] }
    }`
    expect(await verdictBy(source)).toMatchObject({
      kind: 'unscored',
      reason: expect.stringContaining('does not depend'),
    })
  })
  test('of a question may depend on what the world holds alone', async () => {
    const source = `export default ({ initial, answer }) => {
      const shelves = initial.rows('books').map((book) => book.shelf)
      return { passed: shelves.includes(answer), checks: [] }
    }`
    expect(await verdictBy(source, ask, String(ask.gold.answer))).toMatchObject({ kind: 'passed' })
  })
  test('that is not in the bundle leaves the rollout unscored', async () => {
    const runs = await JudgedRuns.of(tiny)
    expect(await runs.judge(lend, verifier, [])).toMatchObject({
      kind: 'unscored',
      reason: expect.stringContaining(file),
    })
  })
})

describe('readsWorld', () => {
  test.each([
    ['export default ({ final }) => final.rows("a").length > 0', true],
    ['export default (input) => ({ passed: input.diff.length > 0, checks: [] })', true],
    ['export default ({ final: state }) => state.rows("a")', false],
    ['export default ({ answer }) => answer.includes("final diff")', false],
    ['// final final\nexport default ({ answer }) => answer', false],
    ['export default ({ initial, final, diff, answer }) => answer', false],
  ])('%s: %s', (source, reads) => expect(readsWorld(source)).toBe(reads))
})

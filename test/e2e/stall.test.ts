import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Project, smallConfig } from './project.ts'

/** Is asked before the preset's verifier; once in training it takes its time before it leaves the verdict to that one. */
const stalls = `
let asked = 0
const slowVerifier = definePlugin({
  name: 'slow-verifier',
  setup: () => ({
    verifier: {
      prepare: () => undefined,
      judge: async ({ trajectory }) => {
        if (trajectory.drawId === 'd1' && ++asked === 1) await new Promise((resolve) => setTimeout(resolve, 3000))
        return undefined
      },
    },
  }),
})
`
const settings = 'plugins: [slowVerifier()], watchdog: { progressAfterMs: 500 },'
const config = smallConfig(settings, stalls).replace('{ defineConfig }', '{ defineConfig, definePlugin }')
const project = new Project({ 'rlenv.config.ts': config })
afterAll(() => project.remove())

test('a run that stalls says who waits for whom on stderr and in its log, and goes on to its end', async () => {
  const { code, stderr } = await project.rlenv('train')
  expect(code, stderr).toBe(0)
  const [run = ''] = project.runDirectories()
  const logged = readFileSync(join(run, 'logs/latest/run.log'), 'utf8')
  for (const text of [stderr, logged]) {
    expect(text).toMatch(/group d1 of \S+ \(train\), \d of 4 rollouts done/)
    expect(text).toMatch(/1 waits for the verifier of \S+/)
    expect(text).toMatch(/longest: rollout d1\/\d of \S+, attempt 1, for \d+ s/)
    expect(text).toMatch(/the learner waits for the rollouts of step 0, for \d+ s/)
    expect(text).toMatch(/step 0 is being collected, none before it waits for the learner, at most 1 ahead/)
  }
  expect(stderr).toMatch(/^├ 1 rollout in flight\n│ └ 1 waits for the verifier of \S+\n│ {3}└ longest: /m)
})

test('a run with shards says which of them it waits for, and each shard for whom', async () => {
  const { code, stderr } = await project.rlenv('train', '--set', 'rollout.mode=workers', '--set', 'rollout.shards=2')
  expect(code, stderr).toBe(0)
  const shard = /group d1 of \S+ \(train\).*\n├ 1 rollout in flight\n│ └ 1 waits for shard ([12])\n/.exec(stderr)?.[1]
  expect(shard, stderr).toMatch(/^[12]$/)
  const own = `still waiting for the rollouts of shard ${shard} after \\d+ s\n└ 1 rollout in flight\n  └ 1 waits for the verifier`
  expect(stderr).toMatch(new RegExp(own))
})

import { existsSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { Project } from './project.ts'

const config = `import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'

export default defineConfig({
  extends: arena({ environments: 6, tasksPerEnvironment: 5 }),
  training: { warnAfterDeadSteps: 1, stopAfterDeadSteps: 1, tasksPerStep: 3, rolloutsPerTask: 3, optimizerStepsPerStep: 1, maxStaleness: 0, evaluateEverySteps: 2 },
  evaluation: { heldOutShare: 0.5, rolloutsPerTask: 1, greedy: false },
  rollout: { maxTurns: 6 },
  seed: 5,
})
`
const swaps = ['--swap', 'groups=none,replay', '--seeds', '2', '--rollouts', '54', '--training-tasks', '4']

interface Report {
  readonly directory: string
  readonly runs: { readonly done: number; readonly planned: number }
  readonly arms: readonly {
    readonly arm: string
    readonly success: Readonly<Record<string, { readonly difference: unknown } | null>>
    readonly measures: Readonly<Record<string, unknown>>
  }[]
}

/** Everything but how long steps took. */
function withoutTimes({ directory: _own, ...report }: Report) {
  return {
    ...report,
    arms: report.arms.map(({ measures: { stepTimeGrowth: _time, ...measures }, ...arm }) => ({ ...arm, measures })),
  }
}

const project = new Project({ 'rlenv.config.ts': config })
const other = new Project({ 'rlenv.config.ts': config })
afterAll(() => {
  project.remove()
  other.remove()
})

describe('rlenv ablate', () => {
  test('goes on after a kill and ends with the report of one that was not killed', async () => {
    const whole = await project.json<Report>(['ablate', ...swaps])
    expect(whole.runs).toEqual({ done: 4, planned: 4 })
    expect(whole.arms.map(({ arm }) => arm)).toEqual(['groups=none', 'groups=replay'])
    expect(whole.arms.map(({ measures }) => measures.rollouts)).toEqual(Array(2).fill({ mean: 54, spread: 0 }))
    expect(whole.arms[1]?.success['held-out sampled']?.difference).toMatchObject({ interval: expect.any(Object) })
    for (const name of ['report.html', 'report.md', 'curves.svg', 'report.json']) {
      expect(existsSync(`${whole.directory}/${name}`), name).toBe(true)
    }

    const killed = await other.interrupt(['ablate', ...swaps], ({ stderr, sent }) => {
      return sent === 0 && stderr.includes('runs 1/4') ? 'SIGKILL' : null
    })
    expect(killed.code).not.toBe(0)
    const resumed = await other.json<Report>(['ablate', ...swaps])
    expect(withoutTimes(resumed)).toEqual(withoutTimes(whole))
  })

  test('writes a page that loads nothing from elsewhere', async () => {
    const { directory } = await project.json<Report>(['ablate', ...swaps])
    const page = project.read(directory.slice(project.directory.length + 1), 'report.html')
    expect(page).toContain('<svg')
    expect(page).not.toMatch(/<script|<link|src=|url\(|https?:\/\/(?!www\.w3\.org\/2000\/svg)/)
  })

  test('refuses arms that would train the same before anything is trained', async () => {
    const refused = await project.failure(
      ['ablate', '--swap', 'training.steps=3,6', '--rollouts', '54', '--seeds', '1'],
      2,
    )
    expect(refused).toMatchObject({ code: 'RLENV_USAGE', message: expect.stringContaining('would train the same') })
  })

  test('refuses an arm that cannot be loaded before anything is trained', async () => {
    const refused = await project.failure(['ablate', '--swap', 'groups=none,replya', '--seeds', '1'], 2)
    expect(refused).toMatchObject({ code: 'RLENV_PLUGIN_NOT_FOUND', plugin: '@rlenv/groups-replya' })
  })
})

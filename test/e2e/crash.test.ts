import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  crashConfig,
  generatedIn,
  killedRun,
  type RunResults,
  resultsOf,
  resumeAll,
  runIn,
  trainedIn,
  twoAtATime,
} from './crash-run.ts'
import { Project } from './project.ts'

const project = new Project({ 'rlenv.config.ts': crashConfig })
let directory = ''
let straight: RunResults
let events = 0

beforeAll(async () => {
  const ended = await project.rlenv('train')
  expect(ended.code, ended.stderr).toBe(0)
  events = Number(/events: (\d+)/.exec(ended.stderr)?.[1])
  directory = runIn(project.path('outputs'))
  straight = resultsOf(directory)
})
afterAll(() => project.remove())

/** The numbers of this name, by the training step that reported them. */
function byStep(name: string): ReadonlyMap<number, number> {
  const lines = straight.metrics.filter((line) => line[name] !== undefined && 'group/kept' in line)
  return new Map(lines.map((line) => [line.step ?? -1, line[name] ?? 0]))
}

/** Steps that reported more than this. */
const stepsWith = (name: string, above = 0) => [...byStep(name)].filter(([, value]) => value > above).map(([at]) => at)

describe('what is killed here is a run', () => {
  test('that swaps stored rollouts in before and after a checkpoint, and out of a store that went through one', () => {
    const steps = [0, 1, 2, 3, 4]
    const generated = steps.map((step) => new Set(generatedIn(directory, step).map(({ id }) => id)))
    const swaps = steps.flatMap((step) => {
      const stored = trainedIn(directory, step).filter(({ replayed }) => replayed === true)
      return stored.map(({ id }) => ({ step, storedIn: generated.findIndex((ids) => ids.has(id)) }))
    })
    expect(swaps.some(({ step }) => step < 2)).toBe(true)
    // The checkpoint after two steps holds the store from which a later step took a rollout of the first two.
    const across = swaps.filter(({ step, storedIn }) => step >= 2 && storedIn >= 0 && storedIn < 2)
    expect(across.length).toBeGreaterThan(0)
  })
  test('whose groups are refilled and, once, too old', () => {
    expect(stepsWith('rollouts/refills').length).toBeGreaterThan(0)
    expect(stepsWith('staleness/dropped').length).toBeGreaterThan(0)
  })
  test('that collects ahead and weighs what is old by importance', () => {
    expect(stepsWith('staleness/mean').length).toBeGreaterThan(0)
    expect(stepsWith('is_weight/max', 1).length).toBeGreaterThan(0)
    expect(stepsWith('replay/is_weight_max', 1).length).toBeGreaterThan(0)
  })
  test('that is evaluated before, between and after, and keeps one checkpoint', () => {
    const evaluated = straight.metrics.filter((line) => 'eval/pass@1' in line).map(({ step }) => step)
    expect(evaluated).toEqual([0, 3, 5])
    expect(readdirSync(join(directory, 'checkpoints'))).toEqual(['latest', 'step_5'])
  })
})

test('a run that is killed at any recorded event ends like one that was not', { timeout: 600_000 }, async () => {
  expect(events).toBeGreaterThan(40)
  const points = Array.from({ length: events - 1 }, (_, index) => index + 1)
  const runs = await twoAtATime(points, (at) => killedRun(project, `event-${at}`, { CRASH_AT: String(at) }))
  await resumeAll(project, runs)
  for (const [index, run] of runs.entries()) {
    expect(resultsOf(run), `killed at event ${points[index]} of ${events}`).toEqual(straight)
  }
})

import { existsSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hoardingGroups } from './hoarding-groups.ts'
import { metricsOf, remains, soleRun } from './run-remains.ts'
import { type RunParts, trainTiny } from './training-run.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-spilled-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

const evaluation = { rolloutsPerTask: 1, maxTasks: 3, greedy: false }
const training = { steps: 6, tasksPerStep: 3, rolloutsPerTask: 4, checkpointEverySteps: 1, maxRefills: 2 }
const setup: NonNullable<RunParts['setup']> = (context) => hoardingGroups(context, { most: 40 })

/** Enough for nothing, for a few rollouts, and for all. */
const budgets = { nothing: 0, some: 0.02, all: 64 } as const

const checkpointsOf = async (folder: string) => join(await soleRun(folder), 'checkpoints')

/** Everything that a run leaves, the memory of its last checkpoint included. */
async function everything(folder: string) {
  const checkpoints = await checkpointsOf(folder)
  const latest = (await readFile(join(checkpoints, 'latest'), 'utf8')).trim()
  return { ...(await remains(folder)), memory: await readFile(join(checkpoints, latest, 'memory.jsonl'), 'utf8') }
}

/** Runs to the end; whether anything ever lay on the disk. */
async function run(folder: string, bufferMib: number, more: Partial<RunParts> = {}): Promise<boolean> {
  let spilled = false
  const onEvent: RunParts['onEvent'] = (event) => {
    if (event.type === 'step:end') spilled ||= (event.metrics['buffer/disk_mib'] ?? 0) > 0
    more.onEvent?.(event)
  }
  const own = { ...training, ...more.training, bufferMib }
  await trainTiny({ evaluation, setup, ...more, root: folder, training: own, onEvent })
  return spilled
}

describe('a run whose rollouts do not fit in memory', () => {
  test.each([0, 2])('ends like one whose do, with a bound of %i', async (maxStaleness) => {
    const results = []
    for (const [name, bufferMib] of Object.entries(budgets)) {
      const folder = join(root, name)
      expect(await run(folder, bufferMib, { training: { maxStaleness } })).toBe(name !== 'all')
      expect(await readdir(await soleRun(folder))).not.toContain('spilled')
      results.push(await everything(folder))
    }
    const [nothing, some, all] = results
    expect(Object.keys(all ?? {}).some((name) => name.includes('effective'))).toBe(true)
    expect(nothing).toEqual(all)
    expect(some).toEqual(all)
  })

  test.each([
    ['the same budget', budgets.nothing],
    ['another budget', budgets.all],
  ])('can be stopped and resumed with %s', async (_what, resumedMib) => {
    const straight = join(root, 'straight')
    await run(straight, budgets.all, { training: { maxStaleness: 1 } })
    const stopped = join(root, 'stopped')
    const abort = new AbortController()
    let rollouts = 0
    const onEvent: RunParts['onEvent'] = ({ type }) => {
      if (type === 'rollout:end' && ++rollouts === 60) abort.abort()
    }
    const first = run(stopped, budgets.nothing, { training: { maxStaleness: 1 }, signal: abort.signal, onEvent })
    await expect(first).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED' })
    await run(stopped, resumedMib, { training: { maxStaleness: 1 }, resume: true })
    expect(await everything(stopped)).toEqual(await everything(straight))
  })

  test('removes what a killed one left when it goes on', async () => {
    await run(root, budgets.all, { training: { steps: 2 } })
    const left = join(await soleRun(root), 'spilled')
    await mkdir(left)
    await writeFile(join(left, '1.segment'), 'of a process that is gone')
    await run(root, budgets.all, { resume: true })
    expect(existsSync(left)).toBe(false)
  })

  test('keeps what it had finished when the disk takes nothing', async () => {
    // Without anything to remember, so that the first rollouts of the resumed run are the first to be moved.
    const parts = { setup: () => ({}), training: { steps: 4, evaluateEverySteps: 2 } }
    await run(root, budgets.all, { ...parts, training: { ...parts.training, steps: 2 } })
    const folder = join(await soleRun(root), 'spilled')
    // No disk takes a file in a folder that is a file.
    const block: RunParts['onEvent'] = ({ type }) => {
      if (type === 'rollout:end' && !existsSync(folder)) writeFileSync(folder, '')
    }
    const blocked = run(root, budgets.nothing, { ...parts, resume: true, onEvent: block })
    const unwritable = { code: 'RLENV_OUTPUT_UNWRITABLE', message: expect.stringContaining(folder) }
    await expect(blocked).rejects.toMatchObject(unwritable)
    await run(root, budgets.nothing, { ...parts, resume: true })
    const straight = join(root, 'straight')
    await run(straight, budgets.all, parts)
    expect(await everything(root)).toEqual(await everything(straight))
  })
})

describe('stored rollouts', () => {
  test('that are too old when they are learnt from leave their groups and are counted', async () => {
    await run(root, budgets.all, {
      setup: (context) => hoardingGroups(context, { most: 40, maxAge: 1 }),
      training: { maxStaleness: 2, steps: 8 },
    })
    const steps = (await metricsOf(root)).filter((line) => 'group/kept' in line)
    const expired = steps.map((line) => line['staleness/expired'])
    expect(expired.slice(0, 2)).toEqual([0, 0])
    expect(expired.some((count) => (count ?? 0) > 0)).toBe(true)
  })
})

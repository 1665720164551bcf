import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/determinism/clock.ts'
import { RunDirectory, type RunOptions } from '../../src/runs/run-directory.ts'
import { hasEndedWell, runsBelow } from '../../src/runs/runs-below.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-runs-below-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** A run that began at this time, in minutes. */
const optionsAt = (minutes: number, name = 'first'): RunOptions => ({
  root,
  kind: 'train',
  name,
  model: 'tiny',
  config: { seed: 1 },
  clock: { ...systemClock, now: () => minutes * 60_000 },
})

async function begun(minutes: number, status: 'done' | 'interrupted', name = 'first'): Promise<string> {
  const run = await RunDirectory.create(optionsAt(minutes, name))
  await run.finish(status)
  return run.directory
}

const found = async () => (await runsBelow(join(root, 'train'))).map(({ directory }) => directory)

describe('the runs below a folder', () => {
  test('are none when the folder is not there', async () => {
    expect(await found()).toEqual([])
  })

  test('come in the order of their last start, latest first', async () => {
    const old = await begun(1, 'interrupted')
    const young = await begun(2, 'done')
    expect(await found()).toEqual([young, old])
    await (await RunDirectory.resume(optionsAt(3), old)).finish('done')
    expect(await found()).toEqual([old, young])
  })

  test('of the same moment come by number, highest first', async () => {
    const runs = []
    for (let run = 1; run <= 11; run++) runs.push(await begun(1, 'done'))
    expect(await found()).toEqual(runs.reverse())
  })

  test('say whether they have ended well', async () => {
    await begun(1, 'interrupted')
    await begun(2, 'done')
    expect((await runsBelow(join(root, 'train'))).map(hasEndedWell)).toEqual([true, false])
  })

  test('leave out folders without a run, so that one which was killed while it was made stops nobody', async () => {
    const run = await begun(1, 'interrupted')
    await mkdir(`${run}-2`)
    await mkdir(`${run}-3`)
    await writeFile(join(`${run}-3`, 'metadata.json'), '{"format":')
    expect(await found()).toEqual([run])
    const resumed = await RunDirectory.resume(optionsAt(2))
    expect(resumed.directory).toBe(run)
    await resumed.close()
  })

  test('are told apart by name when their settings are equal', async () => {
    const first = await begun(1, 'interrupted', 'first')
    await begun(2, 'interrupted', 'second')
    const resumed = await RunDirectory.resume(optionsAt(3, 'first'))
    expect(resumed.directory).toBe(first)
    await resumed.close()
  })
})

test('what a killed start had begun to write is removed by the next one, and nothing else', async () => {
  const run = await begun(1, 'interrupted')
  await mkdir(join(run, 'checkpoints/.step_4.123-7.tmp/learner'), { recursive: true })
  await mkdir(join(run, 'checkpoints/step_2'))
  await mkdir(join(run, 'evaluations'))
  await writeFile(join(run, 'evaluations/.step_3.json.123-8.tmp'), '{')
  await writeFile(join(run, '.summary.json.123-9.tmp'), '{')
  await writeFile(join(run, '.hidden'), 'mine')
  await (await RunDirectory.resume(optionsAt(2))).close()
  expect(await readdir(join(run, 'checkpoints'))).toEqual(['step_2'])
  expect(await readdir(join(run, 'evaluations'))).toEqual([])
  const names = await readdir(run)
  expect(names.filter((name) => name.startsWith('.'))).toEqual(['.hidden'])
})

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { MemoryRecords } from './memory-records.ts'
import { TabularLearner } from './tabular-learner.ts'
import { libraries, type RunParts, savedWeights, trainTiny } from './training-run.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rlenv-resume-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})
const records = (name = 'run') => new MemoryRecords(join(folder, name))
const training = { steps: 5, evaluateEverySteps: 2, checkpointEverySteps: 2 }

/** Everything that a run leaves behind, comparable between folders. */
async function remains(kept: MemoryRecords) {
  const { lines, traces, evaluations } = kept
  return { lines, traces: Object.fromEntries(traces), evaluations: [...evaluations], weights: await savedWeights(kept) }
}

async function straight() {
  const kept = records('straight')
  await trainTiny({ records: kept, training })
  return remains(kept)
}

/** Runs until an event says stop, then resumes until the end. */
async function stopped(at: (count: number, type: string, purpose: string) => boolean, parts: Partial<RunParts> = {}) {
  const kept = records(`stopped-${Math.random()}`)
  const abort = new AbortController()
  const counts: Record<string, number> = {}
  const run = trainTiny({
    records: kept,
    training,
    signal: abort.signal,
    onEvent: (event) => {
      const purpose = event.type === 'rollout:end' ? event.purpose : ''
      const key = event.type + purpose
      counts[key] = (counts[key] ?? 0) + 1
      if (at(counts[key], event.type, purpose)) abort.abort()
    },
    ...parts,
  })
  await expect(run).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED', fix: expect.stringContaining('--resume') })
  await trainTiny({ records: kept, training, resume: true })
  return remains(kept)
}

describe('an interrupted run that is resumed', () => {
  test.each([1, 3, 4])('ends like an uninterrupted one when it was stopped after step %i', async (steps) => {
    expect(await stopped((count, type) => type === 'step:end' && count === steps)).toEqual(await straight())
  })

  test.each([1, 20, 37, 70])('ends like an uninterrupted one when it was stopped at training rollout %i', async (n) => {
    const at = (count: number, type: string, purpose: string) =>
      type === 'rollout:end' && purpose === 'train' && count === n
    expect(await stopped(at)).toEqual(await straight())
  })

  test.each([3, 40])('ends like an uninterrupted one when it was stopped at evaluation rollout %i', async (n) => {
    const at = (count: number, type: string, purpose: string) =>
      type === 'rollout:end' && purpose === 'eval' && count === n
    expect(await stopped(at)).toEqual(await straight())
  })

  test('ends like an uninterrupted one when the learner crashed in the middle of an optimiser step', async () => {
    const kept = records()
    const learner = new TabularLearner(libraries)
    let calls = 0
    learner.onAccumulate = () => {
      calls += 1
      if (calls === 8) throw new Error('out of memory')
    }
    const parts = { records: kept, training: { ...training, optimizerStepsPerStep: 3 } }
    await expect(trainTiny({ ...parts, learner })).rejects.toThrow('out of memory')
    await trainTiny({ ...parts, resume: true })
    const whole = records('whole')
    await trainTiny({ ...parts, records: whole })
    expect(await remains(kept)).toEqual(await remains(whole))
  })

  test('may be made longer', async () => {
    const kept = records()
    const shortened = { ...training, evaluateEverySteps: 1 }
    await trainTiny({ records: kept, training: { ...shortened, steps: 2 } })
    await trainTiny({ records: kept, training: shortened, resume: true })
    const whole = records('whole')
    await trainTiny({ records: whole, training: shortened })
    expect(await remains(kept)).toEqual(await remains(whole))
  })

  test('that was finished does nothing more', async () => {
    const kept = records()
    await trainTiny({ records: kept, training })
    const before = await remains(kept)
    const { events } = await trainTiny({ records: kept, training, resume: true })
    expect(events).toEqual([])
    expect(await remains(kept)).toEqual(before)
  })

  test('starts from the beginning when no checkpoint was ever finished', async () => {
    const kept = records()
    await trainTiny({ records: kept, training, resume: true })
    expect(await remains(kept)).toEqual(await straight())
  })
})

describe('a checkpoint', () => {
  test('is a whole folder that `latest` names, and leaves no temporary files', async () => {
    const kept = records()
    await trainTiny({ records: kept, training })
    const names = await readdir(kept.checkpointDirectory)
    expect(names.sort()).toEqual(['latest', 'step_0', 'step_2', 'step_4', 'step_5'])
    expect((await readdir(join(kept.checkpointDirectory, 'step_4'))).sort()).toEqual(['checkpoint.json', 'learner'])
  })

  test('that was torn while it was written is not seen', async () => {
    const kept = records()
    await trainTiny({ records: kept, training })
    const torn = join(kept.checkpointDirectory, '.step_9.1-1.tmp')
    await mkdir(torn)
    await writeFile(join(torn, 'checkpoint.json'), '{"format":1,')
    await trainTiny({ records: kept, training, resume: true })
    expect(await remains(kept)).toEqual(await straight())
  })

  test.each([
    ['of another format', '{"format":2}'],
    ['cut off', '{"format":1,'],
  ])('%s is refused with its path', async (_what, text) => {
    const kept = records()
    await trainTiny({ records: kept, training })
    await writeFile(join(kept.checkpointDirectory, 'step_5', 'checkpoint.json'), text)
    await expect(trainTiny({ records: kept, training, resume: true })).rejects.toMatchObject({
      code: 'RLENV_CHECKPOINT_INVALID',
      message: expect.stringContaining(join('checkpoints', 'step_5')),
    })
  })

  test('that `latest` names but is gone is refused', async () => {
    const kept = records()
    await trainTiny({ records: kept, training })
    await rm(join(kept.checkpointDirectory, 'step_5'), { recursive: true })
    await expect(trainTiny({ records: kept, training, resume: true })).rejects.toMatchObject({
      code: 'RLENV_CHECKPOINT_INVALID',
    })
  })

  test('keeps the causes of dead steps, so that a dead run stays dead over a resume', async () => {
    const dead = { ...training, steps: 20, warnAfterDeadSteps: 3, stopAfterDeadSteps: 6 }
    const hopeless = () => new TabularLearner(libraries, { initial: [-50, 0, 0] })
    const kept = records()
    await trainTiny({ records: kept, learner: hopeless(), training: { ...dead, steps: 4 } })
    await expect(trainTiny({ records: kept, learner: hopeless(), training: dead, resume: true })).rejects.toMatchObject(
      { code: 'RLENV_DEAD_RUN', message: expect.stringContaining('for 6 steps: 24 groups') },
    )
  })
})

describe('a resume is refused', () => {
  const changed: readonly (readonly [string, Partial<RunParts>, string])[] = [
    ['with another seed', { seed: 8 }, 'seed was 7 and is 8'],
    ['with other sizes', { training: { ...training, tasksPerStep: 5 } }, 'training.tasksPerStep was 4 and is 5'],
    ['with another temperature', { rollout: { temperature: 0.5 } }, 'rollout.temperature was 1 and is 0.5'],
    ['with another plugin version', { version: '2.0.0' }, 'tiny-library@1.0.0'],
    [
      'with a changed environment',
      { environments: [...libraries.slice(0, 5), { ...libraries[5]!, tasks: libraries[5]!.tasks.slice(1) }] },
      'environment library-5 has changed',
    ],
    ['with an environment missing', { environments: libraries.slice(0, 5) }, 'environment library-5 is missing'],
    [
      'with an environment more',
      { environments: [...libraries, tinyEnvironment({ id: 'library-6', seed: 6 })] },
      'environment library-6 is new',
    ],
    ['with fewer steps than are finished', { training: { ...training, steps: 3 } }, 'has finished 5 steps'],
  ]
  test.each(changed)('%s, naming what differs', async (_what, parts, message) => {
    const kept = records()
    await trainTiny({ records: kept, training })
    await expect(trainTiny({ records: kept, training, ...parts, resume: true })).rejects.toMatchObject({
      code: 'RLENV_RESUME_REFUSED',
      message: expect.stringContaining(message),
    })
  })

  test('but not for another concurrency, timeout or checkpoint interval', async () => {
    const kept = records()
    await trainTiny({ records: kept, training: { ...training, steps: 3 } })
    await trainTiny({
      records: kept,
      training: { ...training, checkpointEverySteps: 1 },
      rollout: { maxConcurrentRollouts: 2, toolTimeoutMs: 1000 },
      resume: true,
    })
    expect([...kept.evaluations.keys()]).toContain(5)
  })
})

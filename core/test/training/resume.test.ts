import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { remains, soleRun } from './run-remains.ts'
import { TabularLearner } from './tabular-learner.ts'
import { libraries, trainTiny } from './training-run.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-resume-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})
const evaluation = { rolloutsPerTask: 1, maxTasks: 5, greedy: false }
const training = { steps: 5, tasksPerStep: 3, rolloutsPerTask: 3, evaluateEverySteps: 2, checkpointEverySteps: 2 }

let whole = ''
let straight: Awaited<ReturnType<typeof remains>>
beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), 'rlenv-straight-'))
  await trainTiny({ root: whole, evaluation, training })
  straight = await remains(whole)
})
afterAll(async () => {
  await rm(whole, { recursive: true, force: true })
})

/** A copy of the uninterrupted run. */
const finished = () => cp(whole, root, { recursive: true })

/** Runs until an event says stop, then resumes until the end. */
async function stopped(at: (count: number, type: string, purpose: string) => boolean) {
  const abort = new AbortController()
  const counts: Record<string, number> = {}
  const run = trainTiny({
    root,
    evaluation,
    training,
    signal: abort.signal,
    onEvent: (event) => {
      const purpose = event.type === 'rollout:end' ? event.purpose : ''
      const key = event.type + purpose
      counts[key] = (counts[key] ?? 0) + 1
      if (at(counts[key], event.type, purpose)) abort.abort()
    },
  })
  await expect(run).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED', fix: expect.stringContaining('rlenv resume ') })
  await trainTiny({ root, evaluation, training, resume: true })
  return remains(root)
}

describe('an interrupted run that is resumed', () => {
  test.each([1, 3, 4])('ends like an uninterrupted one when it was stopped after step %i', async (steps) => {
    expect(await stopped((count, type) => type === 'step:end' && count === steps)).toEqual(straight)
  })

  test.each([1, 10, 22, 40])('ends like an uninterrupted one when it was stopped at training rollout %i', async (n) => {
    const at = (count: number, type: string, purpose: string) =>
      type === 'rollout:end' && purpose === 'train' && count === n
    expect(await stopped(at)).toEqual(straight)
  })

  test.each([3, 12])('ends like an uninterrupted one when it was stopped at evaluation rollout %i', async (n) => {
    const at = (count: number, type: string, purpose: string) =>
      type === 'rollout:end' && purpose === 'eval' && count === n
    expect(await stopped(at)).toEqual(straight)
  })

  test('ends like an uninterrupted one when the learner crashed in the middle of an optimiser step', async () => {
    const learner = new TabularLearner(libraries)
    let calls = 0
    learner.onAccumulate = () => {
      calls += 1
      if (calls === 8) throw new Error('out of memory')
    }
    const parts = { root, evaluation, training: { ...training, optimizerStepsPerStep: 3 } }
    await expect(trainTiny({ ...parts, learner })).rejects.toThrow('out of memory')
    await trainTiny({ ...parts, resume: true })
    const other = join(root, 'other')
    await trainTiny({ ...parts, root: other })
    expect(await remains(root)).toEqual(await remains(other))
  })

  test('keeps to the steps whose rollouts are written', async () => {
    const output = { tracesEverySteps: 3 }
    const parts = { evaluation, training, output }
    const abort = new AbortController()
    let steps = 0
    const onEvent = ({ type }: { readonly type: string }) => {
      if (type === 'step:end') steps += 1
      // In the middle of step 3, which is written; the last checkpoint is that of step 3, so it is played again.
      if (type === 'rollout:end' && steps === 3) abort.abort()
    }
    await expect(trainTiny({ ...parts, root, signal: abort.signal, onEvent })).rejects.toMatchObject({
      code: 'RLENV_INTERRUPTED',
    })
    await trainTiny({ ...parts, root, resume: true })
    const other = join(root, 'other')
    await trainTiny({ ...parts, root: other })
    const left = await remains(root)
    expect(left).toEqual(await remains(other))
    expect(Object.keys(left).filter((name) => name.includes('/train/all'))).toEqual([
      'rollouts/step_0/train/all/traces.jsonl',
      'rollouts/step_3/train/all/traces.jsonl',
    ])
  })

  test('may change which rollouts are written', async () => {
    await trainTiny({ root, evaluation, training: { ...training, steps: 2 } })
    await trainTiny({ root, evaluation, training, output: { tracesEverySteps: 4 }, resume: true })
    const steps = Object.keys(await remains(root)).filter((name) => name.includes('/train/all'))
    expect(steps.map((name) => name.split('/')[1])).toEqual(['step_0', 'step_1', 'step_4'])
  })

  test('may be made longer', async () => {
    const shortened = { ...training, evaluateEverySteps: 1 }
    await trainTiny({ root, evaluation, training: { ...shortened, steps: 2 } })
    await trainTiny({ root, evaluation, training: shortened, resume: true })
    const other = join(root, 'other')
    await trainTiny({ root: other, evaluation, training: shortened })
    expect(await remains(root)).toEqual(await remains(other))
  })

  test('that was finished does nothing more', async () => {
    await finished()
    const before = await remains(root)
    const { events } = await trainTiny({ root, evaluation, training, resume: true })
    expect(events).toMatchObject([{ type: 'warning', message: expect.stringContaining('nothing is left to train') }])
    expect(await remains(root)).toEqual(before)
  })

  test('starts from the beginning when no checkpoint was ever finished', async () => {
    const abort = new AbortController()
    const onEvent = () => abort.abort()
    const run = trainTiny({ root, evaluation, training, signal: abort.signal, onEvent })
    await expect(run).rejects.toMatchObject({ code: 'RLENV_INTERRUPTED' })
    await rm(join(await soleRun(root), 'checkpoints'), { recursive: true })
    await trainTiny({ root, evaluation, training, resume: true })
    expect(await remains(root)).toEqual(straight)
  })
})

describe('a checkpoint', () => {
  test('is a whole folder that `latest` names, and leaves no temporary files', async () => {
    await finished()
    const names = await readdir(join(await soleRun(root), 'checkpoints'))
    expect(names.sort()).toEqual(['latest', 'step_2', 'step_4', 'step_5'])
    expect((await readdir(join(join(await soleRun(root), 'checkpoints'), 'step_4'))).sort()).toEqual([
      'checkpoint.json',
      'learner',
      'memory.jsonl',
    ])
  })

  test('whose memory is that of another run is refused', async () => {
    await finished()
    const step = join(await soleRun(root), 'checkpoints', 'step_5')
    await writeFile(join(step, 'memory.jsonl'), '{"at":[],"open":"object"}\n{"at":["other"],"value":1}\n')
    await expect(trainTiny({ root, evaluation, training, resume: true })).rejects.toMatchObject({
      code: 'RLENV_CHECKPOINT_INVALID',
      message: expect.stringContaining('memory.jsonl: it is not the one that was written'),
    })
  })

  test('that was torn while it was written is not seen', async () => {
    await finished()
    const torn = join(join(await soleRun(root), 'checkpoints'), '.step_9.1-1.tmp')
    await mkdir(torn)
    await writeFile(join(torn, 'checkpoint.json'), '{"format":1,')
    await trainTiny({ root, evaluation, training, resume: true })
    expect(await remains(root)).toEqual(straight)
  })

  test.each([
    ['of another format', '{"format":2}'],
    ['cut off', '{"format":1,'],
  ])('%s is refused with its path', async (_what, text) => {
    await finished()
    await writeFile(join(join(await soleRun(root), 'checkpoints'), 'step_5', 'checkpoint.json'), text)
    await expect(trainTiny({ root, evaluation, training, resume: true })).rejects.toMatchObject({
      code: 'RLENV_CHECKPOINT_INVALID',
      message: expect.stringContaining(join('checkpoints', 'step_5')),
    })
  })

  test('that is older can be gone back to by its name, also when few are kept', async () => {
    const kept = { ...training, checkpointEverySteps: 1, keepCheckpoints: 2 }
    await trainTiny({ root, evaluation, training: kept })
    const checkpoints = join(await soleRun(root), 'checkpoints')
    await writeFile(join(checkpoints, 'step_5', 'checkpoint.json'), '{"format":1,')
    await writeFile(join(checkpoints, 'latest'), 'step_4\n')
    await trainTiny({ root, evaluation, training: { ...kept, keepCheckpoints: 1 }, resume: true })
    expect((await readdir(checkpoints)).sort()).toEqual(['latest', 'step_5'])
    expect(await remains(root)).toEqual(straight)
  })

  test('that is gone back to sets later ones aside, so that the next one written is never removed', async () => {
    await trainTiny({ root, evaluation, training: { ...training, checkpointEverySteps: 1, keepCheckpoints: 9 } })
    const checkpoints = join(await soleRun(root), 'checkpoints')
    await writeFile(join(checkpoints, 'latest'), 'step_1\n')
    const shorter = { ...training, steps: 2, keepCheckpoints: 1 }
    await trainTiny({ root, evaluation, training: shorter, resume: true })
    expect((await readdir(checkpoints)).sort()).toEqual(['latest', 'step_2'])
    await trainTiny({ root, evaluation, training, resume: true })
    expect(await remains(root)).toEqual(straight)
  })

  test('that `latest` names but is gone is refused', async () => {
    await finished()
    await rm(join(join(await soleRun(root), 'checkpoints'), 'step_5'), { recursive: true })
    await expect(trainTiny({ root, evaluation, training, resume: true })).rejects.toMatchObject({
      code: 'RLENV_CHECKPOINT_INVALID',
    })
  })

  test('keeps the causes of dead steps, so that a dead run stays dead over a resume', async () => {
    const dead = { ...training, steps: 20, warnAfterDeadSteps: 3, stopAfterDeadSteps: 6 }
    const hopeless = () => new TabularLearner(libraries, { initial: [-50, 0, 0] })
    await trainTiny({ root, learner: hopeless(), training: { ...dead, steps: 4 } })
    await expect(trainTiny({ root, learner: hopeless(), training: dead, resume: true })).rejects.toMatchObject({
      code: 'RLENV_DEAD_RUN',
      message: expect.stringContaining('for 6 steps: 18 groups'),
    })
  })
})

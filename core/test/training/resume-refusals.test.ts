import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RlenvError } from '../../src/errors/rlenv-error.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import type { Environment } from '../../src/vocabulary/environment.ts'
import type { Json } from '../../src/vocabulary/json.ts'
import { remains, soleRun } from './run-remains.ts'
import { countingSampler, libraries, type RunParts, trainTiny } from './training-run.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-refused-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})
const evaluation = { rolloutsPerTask: 1, maxTasks: 5, greedy: false }
const training = { steps: 5, tasksPerStep: 3, rolloutsPerTask: 3, evaluateEverySteps: 2, checkpointEverySteps: 2 }

let whole = ''
beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), 'rlenv-whole-'))
  await trainTiny({ root: whole, evaluation, training })
})
afterAll(async () => {
  await rm(whole, { recursive: true, force: true })
})

/** A copy of a whole run. */
const finished = () => cp(whole, root, { recursive: true })

describe('a resume is refused', () => {
  const changed: readonly (readonly [string, Partial<RunParts>, string])[] = [
    ['with another seed', { seed: 8 }, 'seed was 7 and is 8'],
    ['with other sizes', { training: { ...training, tasksPerStep: 5 } }, 'training.tasksPerStep was 3 and is 5'],
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
    await finished()
    await expect(trainTiny({ root, evaluation, training, ...parts, resume: true })).rejects.toMatchObject({
      code: 'RLENV_RESUME_REFUSED',
      message: expect.stringContaining(message),
    })
  })

  test('unless it is forced, which is written down beside the results', async () => {
    await trainTiny({ root, evaluation, training: { ...training, steps: 3 } })
    const changed = { ...training, tasksPerStep: 5 }
    const { events } = await trainTiny({ root, evaluation, training: changed, resume: true, force: true })
    const differences = ['training.tasksPerStep was 3 and is 5']
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining(differences[0]!) })
    const note = await readFile(join(await soleRun(root), 'forced-after-step_3.json'), 'utf8')
    expect(JSON.parse(note)).toEqual({ differences })
  })

  test('unless it is forced: then sampler and memory begin anew where they fit no more', async () => {
    const remembered: Json[] = []
    const parts = (known: readonly string[]): RunParts => ({
      root,
      evaluation,
      environments: known.map((id) => libraries.find((library) => library.id === id) as Environment),
      hooks: {
        sampler: ({ tasks, random }) => {
          const counting = countingSampler(tasks, random)
          return {
            ...counting,
            state: () => ({ inner: counting.state(), size: tasks.length }),
            restore: (state) => {
              const { inner, size } = state as { inner: Json; size: number }
              if (size !== tasks.length) {
                throw new RlenvError(`it knows ${size} tasks`, { code: 'RLENV_CHECKPOINT_INVALID' })
              }
              counting.restore(inner)
            },
          }
        },
        groups: {
          handler: (groups) => groups,
          memory: { state: () => 'something', restore: (state) => void remembered.push(state) },
        },
      },
    })
    const ids = libraries.map(({ id }) => id)
    await trainTiny({ ...parts(ids), training: { ...training, steps: 3 } })
    const forced = { training, resume: true, force: true }
    remembered.length = 0
    await trainTiny({ ...parts(ids.slice(0, 5)), ...forced })
    expect(remembered).toEqual([null, 'something'])
    const note = JSON.parse(await readFile(join(await soleRun(root), 'forced-after-step_3.json'), 'utf8'))
    expect(note.differences).toContain('environment library-5 is missing')
    expect(note.anew).toEqual([expect.stringMatching(/^the sampler begins anew: .*it knows \d+ tasks$/)])
    const [, ...others] = libraries
    const changed = { ...(libraries[0] as Environment), tasks: libraries[0]?.tasks.slice(1) ?? [] }
    remembered.length = 0
    const again = await trainTiny({
      ...parts(ids.slice(0, 5)),
      ...forced,
      environments: [changed, ...others.slice(0, 4)],
      training: { ...training, steps: 7 },
    })
    expect(remembered).toEqual([null, null])
    expect(again.report.finishedSteps).toBe(7)
  })

  test('but not for another concurrency, timeout or checkpoint interval', async () => {
    await trainTiny({ root, evaluation, training: { ...training, steps: 3 } })
    await trainTiny({
      root,
      evaluation,
      training: { ...training, checkpointEverySteps: 1 },
      rollout: { maxConcurrentRollouts: 2, toolTimeoutMs: 1000 },
      resume: true,
    })
    expect(Object.keys(await remains(root))).toContain('evaluations/step_5.json')
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TrainingSample } from 'rlenv'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { EmbeddedLearner } from '../../src/learner/embedded-learner.ts'
import { defaultSettings } from '../default-settings.ts'
import { playLibrary, sampleOf } from '../play-library.ts'

const { signal } = new AbortController()
const small = { ...defaultSettings, weights: 2 ** 14 }

let folder = ''
let sample: TrainingSample
let before: readonly Float64Array[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rlenv-saved-tools-'))
  const learner = new EmbeddedLearner(small)
  const trajectory = await playLibrary({ policy: learner.policy, surface: 'direct' })
  sample = sampleOf(JSON.parse(JSON.stringify(trajectory)), 1)
  before = await learner.logProbs([sample], 'trained', signal)
  await learner.save(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A learner of a process that has seen no tool list yet. */
async function learnerElsewhere(): Promise<EmbeddedLearner> {
  const fresh = await import('../../src/learner/embedded-learner.ts')
  return new fresh.EmbeddedLearner(small)
}

describe('a rollout on the direct surface, in another process', () => {
  beforeEach(() => vi.resetModules())

  test('cannot be scored by a learner that was never told of its tools', async () => {
    const stranger = await learnerElsewhere()
    await expect(stranger.logProbs([sample], 'trained', signal)).rejects.toMatchObject({ code: 'RLENV_FILE_INVALID' })
  })

  test('is scored as before once the checkpoint is loaded, so that what replay remembers can be trained on', async () => {
    const resumed = await learnerElsewhere()
    await resumed.load(folder)
    expect(await resumed.logProbs([sample], 'trained', signal)).toEqual(before)
  })

  test('is refused with the file when the saved tools are damaged', async () => {
    const resumed = await learnerElsewhere()
    await writeFile(join(folder, 'tools.json'), '[]\n')
    await expect(resumed.load(folder)).rejects.toMatchObject({
      code: 'RLENV_CHECKPOINT_INVALID',
      message: expect.stringContaining('tools.json is not what was written'),
    })
  })
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Loss, type Message, policyLoss, type ScaledSample, type TrainingSample } from 'rlenv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EmbeddedLearner } from '../../src/learner/embedded-learner.ts'
import type { LearnerSettings } from '../../src/learner/learner-settings.ts'
import { defaultSettings } from '../default-settings.ts'
import { type Play, playLibrary, sampleOf } from '../play-library.ts'

const { signal } = new AbortController()
const small: LearnerSettings = { ...defaultSettings, weights: 2 ** 14 }
const loss = policyLoss({ aggregation: 'sequence-mean', clip: { low: 0.2, high: 0.28 } })

function scaled(sample: TrainingSample): ScaledSample {
  return { sample, scales: Float64Array.from(sample.mask, (bit) => bit / sample.mask.length) }
}

async function playBy(learner: EmbeddedLearner, play: Omit<Play, 'policy'> = {}, advantage = 1): Promise<ScaledSample> {
  return scaled(sampleOf(await playLibrary({ ...play, policy: learner.policy }), advantage))
}

/** A loss whose gradient is given, and which shows the log-probabilities it was handed. */
function probe(gradient: (t: number) => number = () => 0, needsReference = false) {
  const seen: Float64Array[] = []
  const references: Float64Array[] = []
  const spy: Loss = {
    name: 'probe',
    options: {},
    aggregation: 'token-mean',
    needsReference,
    evaluate: ({ logProbs, referenceLogProbs }) => {
      seen.push(logProbs)
      if (referenceLogProbs !== undefined) references.push(referenceLogProbs)
      return { loss: 0, gradient: Float64Array.from(logProbs, (_, t) => gradient(t)), sums: { count: logProbs.length } }
    },
  }
  return { spy, seen, references }
}

async function logProbsOf(learner: EmbeddedLearner, sample: ScaledSample): Promise<Float64Array> {
  const { spy, seen } = probe()
  await learner.accumulate([sample], spy, signal)
  await learner.step(signal)
  return seen[0] as Float64Array
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rlenv-embedded-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test.each([
  { temperature: 0.7, surface: 'direct' as const },
  { temperature: 1, surface: 'meta' as const },
  { temperature: 1.6, surface: 'meta' as const },
  { temperature: 0, surface: 'direct' as const },
])('starts with a ratio of 1 at temperature $temperature on the $surface surface', async (play) => {
  const learner = new EmbeddedLearner(small)
  const sample = await playBy(learner, play)
  const logProbs = await logProbsOf(learner, sample)
  expect(logProbs.length).toBeGreaterThan(5)
  for (const [t, logProb] of logProbs.entries()) {
    expect(Math.exp(logProb - (sample.sample.behaviorLogProbs[t] as number))).toBeCloseTo(1, 9)
  }
})

test('rebuilds from the transcript exactly the features that it kept from sampling', async () => {
  for (const surface of ['direct', 'meta'] as const) {
    const keeping = new EmbeddedLearner(small)
    const rebuilding = new EmbeddedLearner({ ...small, cacheBytes: 0 })
    for (const seed of [1, 2, 3, 4]) {
      const sample = await playBy(keeping, { surface, seed, task: seed % 3 })
      const { spy, seen } = probe()
      await keeping.accumulate([sample], spy, signal)
      await rebuilding.accumulate([sample], spy, signal)
      expect(seen[1]).toEqual(seen[0])
      await keeping.accumulate([sample], loss, signal)
      await rebuilding.accumulate([sample], loss, signal)
    }
    expect(await keeping.step(signal)).toEqual(await rebuilding.step(signal))
  }
})

test('rebuilds what a trajectory that came back from a file says', async () => {
  const learner = new EmbeddedLearner(small)
  const { sample, scales } = await playBy(learner, { surface: 'meta' })
  const trajectory = JSON.parse(JSON.stringify(sample.trajectory)) as typeof sample.trajectory
  const read = await logProbsOf(learner, { sample: { ...sample, trajectory }, scales })
  expect(read).toEqual(await logProbsOf(learner, { sample, scales }))
})

test('trains on single turns as on whole rollouts', async () => {
  const learner = new EmbeddedLearner({ ...small, cacheBytes: 0 })
  const { sample } = await playBy(learner, { surface: 'meta', seed: 3 })
  const whole = await logProbsOf(learner, scaled(sample))
  const parts: number[] = []
  for (const turn of sample.trajectory.turns) {
    const { actions, logProbs } = turn.span
    const single = { ...sampleOf({ ...sample.trajectory }), turns: [turn.index], actions: Int32Array.from(actions) }
    const sized = {
      ...single,
      mask: new Uint8Array(actions.length).fill(1),
      behaviorLogProbs: Float64Array.from(logProbs),
    }
    parts.push(...(await logProbsOf(learner, scaled(sized))))
  }
  expect(parts).toEqual([...whole])
})

test('sees at a turn with a history window what the policy saw there', async () => {
  const learner = new EmbeddedLearner({ ...small, cacheBytes: 0 })
  const full = await playLibrary({ policy: learner.policy, surface: 'meta', seed: 2, maxTurns: 5 })
  const last = full.turns.at(-1)
  const head = full.turns[1]?.messageIndex ?? 0
  const windowStart = full.turns.at(-2)?.messageIndex ?? 0
  const seen: Message[] = [...full.messages.slice(0, head), ...full.messages.slice(windowStart, last?.messageIndex)]
  const { metaSurface, RandomStream } = await import('rlenv')
  const request = { messages: seen, tools: metaSurface, role: 'act', random: RandomStream.of(1) }
  const sampling = { temperature: 1, topP: 1, maxTokens: null }
  const { span } = await learner.policy.sample({ ...request, sampling }, signal)
  const turns = full.turns.map((turn) => (turn === last ? { ...turn, windowStart, span } : turn))
  const windowed = {
    ...sampleOf({ ...full, turns }),
    turns: [turns.length - 1],
    actions: Int32Array.from(span.actions),
  }
  const sized = { ...windowed, mask: new Uint8Array(span.actions.length).fill(1) }
  const logProbs = await logProbsOf(learner, scaled(sized))
  expect([...logProbs]).toEqual([...span.logProbs])
})

test('has the gradient of the log-probability that finite differences give', async () => {
  const learner = new EmbeddedLearner({
    ...small,
    learningRate: 1,
    lexicalLearningRate: 1,
    beta1: 0,
    beta2: 0,
    epsilon: 1e9,
  })
  const sample = await playBy(learner, { seed: 5, temperature: 0.8 })
  const before = await logProbsOf(learner, sample)
  // With β = 0 and a huge ε a step is −gradient / ε: plain descent with a step size of 1e-9.
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: before.length - 1 }), async (chosen) => {
      const start = await logProbsOf(learner, sample)
      const { spy } = probe((t) => (t === chosen ? -1e5 : 0))
      await learner.accumulate([sample], spy, signal)
      const { gradNorm } = await learner.step(signal)
      const end = await logProbsOf(learner, sample)
      const slope = (gradNorm / 1e5) ** 2
      const risen = ((end[chosen] as number) - (start[chosen] as number)) / 1e-4
      expect(risen).toBeCloseTo(slope, 2 - Math.ceil(Math.log10(Math.max(1, slope))))
    }),
    { numRuns: 15 },
  )
})

test('gives the same bits for the same samples, in one call or in several', async () => {
  const learners = [new EmbeddedLearner(small), new EmbeddedLearner(small)] as const
  const samples = [await playBy(learners[0], { seed: 1 }), await playBy(learners[0], { seed: 2 }, -1)]
  await learners[0].accumulate(samples, loss, signal)
  for (const sample of samples) await learners[1].accumulate([sample], loss, signal)
  expect(await learners[0].step(signal)).toEqual(await learners[1].step(signal))
  const [first] = samples
  if (first !== undefined) expect(await logProbsOf(learners[0], first)).toEqual(await logProbsOf(learners[1], first))
})

test('makes what was rewarded more likely, and what was not less likely', async () => {
  for (const advantage of [1, -1]) {
    const learner = new EmbeddedLearner(small)
    const sample = await playBy(learner, { seed: 9 }, advantage)
    const before = await logProbsOf(learner, sample)
    await learner.accumulate([sample], loss, signal)
    expect(await learner.step(signal)).toMatchObject({ applied: true, reason: null })
    const after = await logProbsOf(learner, sample)
    const change = after.reduce((sum, value) => sum + value, 0) - before.reduce((sum, value) => sum + value, 0)
    expect(Math.sign(change)).toBe(advantage)
  }
})

test('samples with the old weights until it publishes', async () => {
  const learner = new EmbeddedLearner({ ...small, learningRate: 2 })
  const sample = await playBy(learner, { seed: 4 })
  const before = await playLibrary({ policy: learner.policy, seed: 8 })
  await learner.accumulate([sample], loss, signal)
  await learner.step(signal)
  expect((await playLibrary({ policy: learner.policy, seed: 8 })).turns).toEqual(before.turns)
  expect(await learner.publish(signal)).toBe(1)
  const after = await playLibrary({ policy: learner.policy, seed: 8 })
  expect(after.policyVersion).toBe(1)
  expect(after.turns[0]?.span.logProbs).not.toEqual(before.turns[0]?.span.logProbs)
})

test('refuses a gradient that is not finite, says so, and goes on', async () => {
  const learner = new EmbeddedLearner(small)
  const sample = await playBy(learner)
  const before = await logProbsOf(learner, sample)
  await learner.accumulate([sample], probe((t) => (t === 2 ? Number.NaN : 1)).spy, signal)
  const refused = await learner.step(signal)
  expect(refused).toMatchObject({ applied: false, reason: 'the gradient is not finite (its norm is NaN)' })
  expect(await logProbsOf(learner, sample)).toEqual(before)
  await learner.accumulate([sample], loss, signal)
  expect((await learner.step(signal)).applied).toBe(true)
})

test('holds the gradient to its largest norm', async () => {
  const free = new EmbeddedLearner({ ...small, epsilon: 10 })
  const held = new EmbeddedLearner({ ...small, epsilon: 10, maxGradNorm: 1e-3 })
  const sample = await playBy(free, { seed: 6 })
  const moved: number[] = []
  for (const learner of [free, held]) {
    const before = await logProbsOf(learner, sample)
    await learner.accumulate([sample], probe(() => -1).spy, signal)
    expect((await learner.step(signal)).gradNorm).toBeGreaterThan(1)
    const after = await logProbsOf(learner, sample)
    moved.push(after.reduce((sum, value, t) => sum + value - (before[t] as number), 0))
  }
  expect(moved[0] as number).toBeGreaterThan((moved[1] as number) * 100)
})

test('hands the frozen first weights to a loss that asks for a reference', async () => {
  const learner = new EmbeddedLearner(small)
  const sample = await playBy(learner)
  const before = await logProbsOf(learner, sample)
  await learner.accumulate([sample], loss, signal)
  await learner.step(signal)
  await learner.publish(signal)
  const { spy, seen, references } = probe(undefined, true)
  await learner.accumulate([sample], spy, signal)
  expect(references[0]).toEqual(before)
  expect(seen[0]).not.toEqual(before)
})

test('tells the log-probabilities of a batch as a loss would see them', async () => {
  const learner = new EmbeddedLearner(small)
  const batch = [await playBy(learner, { seed: 1, temperature: 0.7 }), await playBy(learner, { seed: 2 }, -1)]
  const samples = batch.map(({ sample }) => sample)
  const before = await learner.logProbs(samples, 'trained', signal)
  await learner.accumulate(batch, loss, signal)
  await learner.step(signal)
  const after = await learner.logProbs(samples, 'trained', signal)
  expect(after).not.toEqual(before)
  expect(after).toEqual([await logProbsOf(learner, batch[0]!), await logProbsOf(learner, batch[1]!)])
  expect(await learner.logProbs(samples, 'reference', signal)).toEqual(before)
  await expect(learner.logProbs(samples, 'trained', AbortSignal.abort())).rejects.toThrow()
})

test('comes back from a checkpoint bit by bit', async () => {
  const saved = new EmbeddedLearner(small)
  const samples = [await playBy(saved, { seed: 1 }), await playBy(saved, { seed: 2 }, -1)]
  await saved.accumulate(samples, loss, signal)
  await saved.step(signal)
  await saved.publish(signal)
  const [here, there] = [await mkdtemp(join(folder, 'a-')), await mkdtemp(join(folder, 'b-'))]
  await saved.save(here)
  const loaded = new EmbeddedLearner(small)
  await loaded.load(here)
  await loaded.save(there)
  for (const file of ['embedded.json', 'embedded.f64', 'tools.json']) {
    expect((await readFile(join(there, file))).equals(await readFile(join(here, file)))).toBe(true)
  }
  expect((await playLibrary({ policy: loaded.policy, seed: 3 })).turns).toEqual(
    (await playLibrary({ policy: saved.policy, seed: 3 })).turns,
  )
})

test('refuses a damaged checkpoint, and one of a learner with other weights', async () => {
  const learner = new EmbeddedLearner(small)
  const directory = await mkdtemp(join(folder, 'damaged-'))
  await learner.save(directory)
  const invalid = expect.objectContaining({ code: 'RLENV_CHECKPOINT_INVALID' })
  await expect(new EmbeddedLearner({ ...small, scale: 1 }).load(directory)).rejects.toEqual(invalid)
  const bytes = await readFile(join(directory, 'embedded.f64'))
  bytes[100] = (bytes[100] as number) ^ 1
  await writeFile(join(directory, 'embedded.f64'), bytes)
  await expect(learner.load(directory)).rejects.toEqual(invalid)
  await writeFile(join(directory, 'embedded.json'), '{')
  await expect(learner.load(directory)).rejects.toEqual(invalid)
})

test('says which turn of which trajectory cannot be replayed', async () => {
  const learner = new EmbeddedLearner({ ...small, cacheBytes: 0 })
  const { sample, scales } = await playBy(learner, { surface: 'meta' })
  const turns = sample.trajectory.turns.map((turn) => ({ ...turn, span: { ...turn.span, actions: [999] } }))
  const broken = { ...sample, trajectory: { ...sample.trajectory, turns } }
  await expect(learner.accumulate([{ sample: broken, scales }], loss, signal)).rejects.toThrow(
    expect.objectContaining({ code: 'RLENV_FILE_INVALID', message: expect.stringContaining(sample.trajectory.id) }),
  )
})

test('stops when its signal is aborted', async () => {
  const learner = new EmbeddedLearner(small)
  const sample = await playBy(learner)
  await expect(learner.accumulate([sample], loss, AbortSignal.abort())).rejects.toThrow()
})

import { describe, expect, test } from 'vitest'
import { hookContext, pipelineOf, pluginOf, slotContext } from './plugin-fixtures.ts'

const samplerOf = async (methods: object) => {
  const whole = { draw: () => ['t'], observe: () => {}, state: () => null, restore: () => {}, ...methods }
  return (await pipelineOf([pluginOf('mine', { sampler: () => whole })])).slot('sampler', {
    ...slotContext(),
    tasks: [],
    environments: [],
  })
}
const algorithmOf = async (answer: unknown) =>
  (await pipelineOf([pluginOf('mine', { algorithm: () => ({ name: 'a', batch: () => answer }) })])).slot(
    'algorithm',
    slotContext(),
  )
const learnerOf = async (answers: { readonly accumulate?: unknown; readonly step?: unknown }) => {
  const learner = {
    name: 'l',
    policyVersion: 0,
    policy: null,
    accumulate: async () => answers.accumulate,
    step: async () => answers.step,
    publish: async () => 1,
    save: async () => {},
    load: async () => {},
    close: async () => {},
  }
  return (await pipelineOf([pluginOf('mine', { learner: () => learner })])).slot('learner', slotContext())
}
const refusal = (hook: string, words: string) =>
  expect.objectContaining({
    code: 'RLENV_PLUGIN_RETURNED_INVALID',
    plugin: 'mine',
    hook,
    message: expect.stringContaining(words),
  })
const loss = { name: 'l', options: {}, aggregation: 'token-mean', needsReference: false, evaluate: () => ({}) }
const { signal } = hookContext()

describe('a role whose method is async where the answer is used at once', () => {
  test.each([
    ['draw', [1]],
    ['observe', [{}]],
    ['state', []],
    ['restore', [null]],
  ] as const)('is refused at sampler.%s, and its rejection ends nothing', async (name, args) => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    const sampler = await samplerOf({
      [name]: async () => {
        throw new Error('too late to hear')
      },
    })
    const method = sampler[name] as (...given: unknown[]) => unknown
    expect(() => method(...args)).toThrow(refusal(`sampler.${name}`, 'it is a promise'))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })
})

describe('a batch', () => {
  test.each([
    ['nothing', undefined, 'expected { samples, loss, metrics } with a list of samples, got undefined'],
    ['no loss', { samples: [], loss: {}, metrics: {} }, 'a loss with evaluate()'],
    ['a sample without a trajectory', { samples: [{}], loss, metrics: {} }, 'sample 0 has no trajectory'],
  ])('that is %s is refused with plugin and hook', async (_what, answer, words) => {
    const algorithm = await algorithmOf(answer)
    expect(() => algorithm.batch([])).toThrow(refusal('algorithm.batch', words))
    const later = await algorithmOf(Promise.resolve(answer))
    await expect(later.batch([])).rejects.toEqual(refusal('algorithm.batch', words))
  })

  test('whose mask is longer than its actions is refused with the rollout named', async () => {
    const sample = {
      trajectory: { id: 'd3/1' },
      actions: new Int32Array(3),
      mask: new Uint8Array(4),
      behaviorLogProbs: new Float64Array(3),
      advantages: new Float64Array(3),
      weights: new Float64Array(3),
    }
    const algorithm = await algorithmOf({ samples: [sample], loss, metrics: {} })
    expect(() => algorithm.batch([])).toThrow(
      refusal('algorithm.batch', 'sample 0 of rollout d3/1 has 3 actions and 4 values of "mask"'),
    )
    const whole = { samples: [{ ...sample, mask: new Uint8Array(3) }], loss, metrics: {} }
    expect((await algorithmOf(whole)).batch([])).toBe(whole)
  })
})

describe('a learner', () => {
  test('that reports nothing is refused instead of read as a step that was skipped', async () => {
    const learner = await learnerOf({})
    await expect(learner.accumulate([], loss as never, signal)).rejects.toEqual(
      refusal('learner.accumulate', 'expected { loss, sums }'),
    )
    await expect(learner.step(signal)).rejects.toEqual(
      refusal('learner.step', 'expected { gradNorm, applied, reason }'),
    )
  })

  test('may report a gradient that is not finite', async () => {
    const step = { gradNorm: Number.NaN, applied: false, reason: 'not finite' }
    expect(await (await learnerOf({ step })).step(signal)).toBe(step)
  })
})

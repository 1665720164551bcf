import { embeddedLearner } from '@rlenv/learner-embedded'
import type { Plugin } from 'rlenv'
import { expectTypeOf, test } from 'vitest'

test('takes no options, or some of them', () => {
  expectTypeOf(embeddedLearner()).toEqualTypeOf<Plugin>()
  expectTypeOf(embeddedLearner({ scale: 1, optimizer: { beta1: 0.8 }, maxGradNorm: null })).toEqualTypeOf<Plugin>()
})

test('refuses a misspelt option and a value of another type', () => {
  // @ts-expect-error the option is called learningRate
  embeddedLearner({ learningrate: 0.1 })
  // @ts-expect-error a number is asked for
  embeddedLearner({ scale: 'high' })
})

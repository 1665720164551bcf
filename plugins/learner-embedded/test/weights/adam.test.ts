import { expect, test } from 'vitest'
import { Adam } from '../../src/weights/adam.ts'

const options = { learningRate: 0.04, lexicalLearningRate: 0.002, beta1: 0.9, beta2: 0.99, epsilon: 1e-4 }

test('takes the hand-worked first step, each half at its own rate', () => {
  const adam = new Adam(4, 2, options)
  const weights = new Float64Array(4)
  adam.add(Int32Array.of(0, 2), 0, 2, 0.5)
  adam.apply(weights, 1)
  // m = 0.1 · 0.5 = 0.05, v = 0.01 · 0.25 = 0.0025, step = rate · 0.05 / (0.05 + 0.0001)
  expect(weights[0]).toBeCloseTo((-0.04 * 0.05) / 0.0501, 12)
  expect(weights[2]).toBeCloseTo((-0.002 * 0.05) / 0.0501, 12)
  expect([weights[1], weights[3]]).toEqual([0, 0])
})

test('leaves the moments of untouched weights as they are', () => {
  const adam = new Adam(4, 2, options)
  const weights = new Float64Array(4)
  adam.add(Int32Array.of(1), 0, 1, 1)
  adam.apply(weights, 1)
  adam.forget()
  const before = adam.firstMoments[1]
  adam.add(Int32Array.of(0), 0, 1, 1)
  adam.apply(weights, 1)
  expect(adam.firstMoments[1]).toBe(before)
})

test('adds up repeated features and forgets them on demand', () => {
  const adam = new Adam(4, 2, options)
  adam.add(Int32Array.of(3, 3, 1), 0, 3, 2)
  expect(adam.norm()).toEqual({ norm: Math.hypot(4, 2), touched: 2 })
  adam.forget()
  expect(adam.norm()).toEqual({ norm: 0, touched: 0 })
  expect(adam.gradient.every((value) => value === 0)).toBe(true)
})

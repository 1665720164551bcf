import { describe, expect, test } from 'vitest'
import { heapSize } from '../../src/artifacts/heap-size.ts'

describe('heapSize', () => {
  test('counts texts by their characters, two bytes each where one lies beyond Latin-1', () => {
    const bytes = (text: string) => heapSize(text) - heapSize('')
    expect([bytes('abcé'), bytes('abcé世')]).toEqual([4, 10])
  })
  test('counts lists of numbers by their length, and what else a list holds', () => {
    expect(heapSize([0.5, 1, 2]) - heapSize([])).toBe(24)
    expect(heapSize([1, 'abc']) - heapSize([1, ''])).toBe(3)
    expect(heapSize(new Float64Array(10)) - heapSize(new Float64Array(0))).toBe(80)
  })
  test('counts what occurs twice once, and comes to an end where data refers to itself', () => {
    const message = { text: 'x'.repeat(1000) }
    expect(heapSize([message, message])).toBeLessThan(heapSize([message]) + 20)
    const round: Record<string, unknown> = {}
    round.self = round
    expect(heapSize(round)).toBeGreaterThan(0)
  })
  test('is no number for what is no data', () => {
    expect([() => 1, Symbol('s'), [1, { deep: () => 1 }]].map((value) => heapSize(value))).toEqual([NaN, NaN, NaN])
  })
})

import { describe, expect, test } from 'vitest'
import { learningCurveSvg } from '../../src/evaluation/learning-curve-svg.ts'

const estimate = (value: number) => ({ value, low: value - 0.05, high: value + 0.05 })

describe('learningCurveSvg', () => {
  test('draws both curves, the band and the last values', () => {
    const svg = learningCurveSvg([
      { step: 10, sampled: estimate(0.5), greedy: estimate(0.6) },
      { step: 0, sampled: estimate(0.2), greedy: estimate(0.3) },
    ])
    expect(svg.match(/<polyline/g)).toHaveLength(2)
    expect(svg.match(/<polygon/g)).toHaveLength(1)
    expect(svg).toContain('sampled 50 %')
    expect(svg).toContain('greedy 60 %')
  })

  test('keeps the labels of curves that meet apart', () => {
    const svg = learningCurveSvg([{ step: 10, sampled: estimate(0.65), greedy: estimate(0.652) }])
    const heights = [...svg.matchAll(/y="([\d.]+)" fill="#(?:1f77b4|d95f02)">/g)].map(([, y]) => Number(y))
    expect(heights).toHaveLength(2)
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThan(13)
  })

  test('stands alone: no script, no reference to anything else', () => {
    const svg = learningCurveSvg([{ step: 0, sampled: estimate(0.2), greedy: null }])
    expect(svg).not.toMatch(/<script|href|url\(/)
    expect(svg.startsWith('<svg xmlns="http://www.w3.org/2000/svg"')).toBe(true)
  })

  test('an unknown value leaves a gap and no NaN', () => {
    const unknown = { value: null, low: null, high: null }
    const svg = learningCurveSvg([
      { step: 0, sampled: unknown, greedy: null },
      { step: 5, sampled: { value: 0.4, low: null, high: null }, greedy: null },
    ])
    expect(svg).not.toContain('NaN')
    expect(svg.match(/<circle/g)).toHaveLength(1)
    expect(svg).not.toContain('<polygon')
  })

  test('no points at all give an empty frame', () => {
    expect(learningCurveSvg([])).not.toMatch(/NaN|polyline/)
  })
})

import { describe, expect, test } from 'vitest'
import { ablationCurvesSvg } from '../../src/ablation/ablation-curves-svg.ts'
import { ablationHtml } from '../../src/ablation/ablation-html.ts'
import { ablationReport } from '../../src/ablation/ablation-report.ts'
import { aboutText, markdownTable, measureRows, successRows } from '../../src/ablation/ablation-table.ts'
import { resultOf } from './results.ts'

const hostile = 'a<b & "c" | d'
const results = [
  resultOf('none', 0, { a: 0.4, b: 0.6 }),
  resultOf('none', 1, { a: 0.5, b: 0.7 }),
  resultOf(hostile, 0, { a: 0.5, b: 0.8 }),
  resultOf(hostile, 1, { a: 0.7, b: 0.8 }),
]
const report = ablationReport(results, {
  name: hostile,
  arms: ['none', hostile],
  planned: 10,
  confidence: 0.95,
  seed: 1,
})

describe('ablationReport', () => {
  test('counts runs and gives means, spreads and bands of the runs', () => {
    expect(report).toMatchObject({ runs: { done: 4, planned: 10 }, environments: 2, tasks: 20 })
    expect(report.arms[1]?.measures.rollouts).toEqual({ mean: 1280, spread: 0 })
    expect(report.arms[1]?.measures.swapRate).toEqual({ mean: null, spread: null })
    expect(report.arms[1]?.curve.at(-1)).toEqual({ rollouts: 1280, mean: 0.6, low: 0.5, high: 0.7 })
  })

  test('its tables name arms, differences in points and what was asked only', () => {
    const [head, first, second] = successRows(report)
    expect(head).toEqual(['arm', 'runs', 'held-out sampled', 'difference', 'effect'])
    expect(first).toEqual(['none', '2', '55.0 % ± 7.1', '', ''])
    expect(second?.slice(0, 3)).toEqual([hostile, '2', '70.0 % ± 7.1'])
    expect(second?.[3]).toMatch(/^\+15\.0 \[\+\d+\.\d, \+\d+\.\d\]$/)
    expect(measureRows(report)[0]).not.toContain('groups with a stored rollout')
  })

  test('says which arm is compared with, and that training tasks are drawn uniformly', () => {
    expect(aboutText(report)).toContain('4 of 10 runs; 20 held-out tasks in 2 environments')
    expect(aboutText(report)).toContain('Differences are from "none"')
  })

  test('a Markdown cell cannot end early', () => {
    expect(markdownTable(successRows(report))).toContain('a<b & "c" \\| d')
  })

  test('the page loads nothing, runs nothing and shows names as text', () => {
    const html = ablationHtml(report)
    expect(html).toContain('a&lt;b &amp; &quot;c&quot; | d')
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|a<b/)
  })

  test('curves have a line and a band per arm, without numbers that are none', () => {
    const svg = ablationCurvesSvg(report)
    expect(svg.match(/<polyline/g)).toHaveLength(2)
    expect(svg.match(/<polygon/g)).toHaveLength(2)
    expect(svg).not.toContain('NaN')
  })

  test('an ablation without any result is a report as well', () => {
    const empty = ablationReport([], { name: 'x', arms: ['a', 'b'], planned: 4, confidence: 0.95, seed: 1 })
    expect(ablationHtml(empty)).toContain('0 of 4 runs')
    expect(ablationCurvesSvg(empty)).not.toContain('NaN')
  })
})

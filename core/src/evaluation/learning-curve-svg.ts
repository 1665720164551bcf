import type { Estimate } from './evaluation-report.ts'

/** Held-out success after some training steps. */
export interface CurvePoint {
  readonly step: number
  readonly sampled: Estimate
  readonly greedy: Estimate | null
}

const width = 640
const height = 320
const frame = { left: 56, right: 96, top: 24, bottom: 44 }

/**
 * Held-out success over training steps as one self-contained SVG: the sampled curve with its interval as a band, and the
 * greedy curve. Holds no script and loads nothing.
 */
export function learningCurveSvg(points: readonly CurvePoint[]): string {
  const ordered = [...points].sort((a, b) => a.step - b.step)
  const lastStep = Math.max(1, ...ordered.map(({ step }) => step))
  const x = (step: number) => frame.left + (step / lastStep) * (width - frame.left - frame.right)
  const y = (share: number) => height - frame.bottom - share * (height - frame.top - frame.bottom)
  const curves = [
    { name: 'sampled', color: '#1f77b4', values: ordered.map(({ step, sampled }) => ({ step, estimate: sampled })) },
    { name: 'greedy', color: '#d95f02', values: ordered.map(({ step, greedy }) => ({ step, estimate: greedy })) },
  ]
  const drawn = curves.map((curve) => drawCurve(curve, x, y))
  const body = [gridLines(x, y, lastStep), ...drawn, ...endLabels(curves, x, y)].join('')
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    'font-family="system-ui, sans-serif" font-size="12" role="img" aria-labelledby="title">' +
    '<title id="title">Held-out success over training steps</title>' +
    `<rect width="${width}" height="${height}" fill="#ffffff"/>${body}</svg>\n`
  )
}

type Scale = (value: number) => number

interface Curve {
  readonly name: string
  readonly color: string
  readonly values: readonly { readonly step: number; readonly estimate: Estimate | null }[]
}

function gridLines(x: Scale, y: Scale, lastStep: number): string {
  const shares = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line x1="${round(x(0))}" x2="${round(x(lastStep))}" y1="${round(y(share))}" y2="${round(y(share))}" stroke="#dddddd"/>` +
      `<text x="${round(x(0) - 8)}" y="${round(y(share) + 4)}" text-anchor="end" fill="#444444">${share * 100} %</text>`,
  )
  const steps = tickSteps(lastStep).map(
    (step) =>
      `<text x="${round(x(step))}" y="${height - frame.bottom + 18}" text-anchor="middle" fill="#444444">${step}</text>`,
  )
  const label = `<text x="${round((x(0) + x(lastStep)) / 2)}" y="${height - 8}" text-anchor="middle" fill="#444444">training step</text>`
  return [...shares, ...steps, label].join('')
}

/** At most six round steps from 0 on. */
function tickSteps(lastStep: number): number[] {
  const rough = lastStep / 5
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, rough)))
  const size = [1, 2, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= rough) ?? lastStep
  return Array.from({ length: Math.floor(lastStep / size) + 1 }, (_, index) => index * size)
}

function drawCurve({ name, color, values }: Curve, x: Scale, y: Scale): string {
  const known = values.flatMap(({ step, estimate }) =>
    estimate && estimate.value !== null
      ? [{ step, value: estimate.value, low: estimate.low, high: estimate.high }]
      : [],
  )
  const last = known.at(-1)
  if (!last) return ''
  const line = known.map(({ step, value }) => `${round(x(step))},${round(y(value))}`).join(' ')
  const dots = known.map(
    ({ step, value }) => `<circle cx="${round(x(step))}" cy="${round(y(value))}" r="3" fill="${color}"/>`,
  )
  const stroke = `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>`
  return `${name === 'sampled' ? drawBand(known, color, x, y) : ''}${stroke}${dots.join('')}`
}

/** Pixels between the baselines of two labels. */
const labelHeight = 14

/** The last value of each curve beside its end, moved apart where curves meet; the higher value stands higher. */
function endLabels(curves: readonly Curve[], x: Scale, y: Scale): readonly string[] {
  const ends = curves.flatMap(({ name, color, values }) => {
    const last = values.findLast(({ estimate }) => estimate !== null && estimate.value !== null)
    const value = last?.estimate?.value
    return last === undefined || value === null || value === undefined ? [] : [{ name, color, step: last.step, value }]
  })
  let above = Number.NEGATIVE_INFINITY
  return ends
    .sort((a, b) => b.value - a.value)
    .map(({ name, color, step, value }) => {
      above = Math.max(y(value) + 4, above + labelHeight)
      const text = `${name} ${(value * 100).toFixed(0)} %`
      return `<text x="${round(x(step) + 8)}" y="${round(above)}" fill="${color}">${text}</text>`
    })
}

function drawBand(
  known: readonly { readonly step: number; readonly low: number | null; readonly high: number | null }[],
  color: string,
  x: Scale,
  y: Scale,
): string {
  const upper = known.flatMap(({ step, high }) => (high === null ? [] : [`${round(x(step))},${round(y(high))}`]))
  const lower = known.flatMap(({ step, low }) => (low === null ? [] : [`${round(x(step))},${round(y(low))}`]))
  const outline = [...upper, ...lower.reverse()].join(' ')
  return upper.length < 2 ? '' : `<polygon points="${outline}" fill="${color}" fill-opacity="0.15"/>`
}

const round = (value: number) => Math.round(value * 10) / 10

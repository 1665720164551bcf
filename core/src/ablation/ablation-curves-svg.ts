import type { AblationReport, CurveBand } from './ablation-report.ts'

const width = 760
const height = 380
const frame = { left: 56, right: 200, top: 24, bottom: 44 }

/** Told apart by people who see colours differently. Source: Okabe and Ito, "Color universal design" (2008). */
const colors = ['#000000', '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c6d31'] as const

type Scale = (value: number) => number

/**
 * Held-out success over generated rollouts, one line per arm: the mean of its runs, with the range of its runs as a band.
 * Holds no script and loads nothing.
 */
export function ablationCurvesSvg({ arms }: AblationReport): string {
  const bands = arms.flatMap(({ curve }) => curve)
  const last = Math.max(1, ...bands.map(({ rollouts }) => rollouts))
  const top = Math.min(1, Math.max(0.1, Math.ceil(10 * Math.max(0, ...bands.map(({ high }) => high))) / 10))
  const x: Scale = (rollouts) => frame.left + (rollouts / last) * (width - frame.left - frame.right)
  const y: Scale = (share) => height - frame.bottom - (share / top) * (height - frame.top - frame.bottom)
  const drawn = arms.map(({ curve }, index) => curveOf(curve, colorOf(index), x, y))
  const legend = arms.map(({ arm }, index) => legendLine(arm, index))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    'font-family="system-ui, sans-serif" font-size="12" role="img" aria-labelledby="title">' +
    '<title id="title">Held-out success over generated rollouts, by arm</title>' +
    `<rect width="${width}" height="${height}" fill="#ffffff"/>${gridOf(x, y, last, top)}${drawn.join('')}${legend.join('')}</svg>\n`
  )
}

const colorOf = (index: number): string => colors[index % colors.length] ?? '#000000'

function curveOf(curve: readonly CurveBand[], color: string, x: Scale, y: Scale): string {
  const at = (rollouts: number, share: number) => `${round(x(rollouts))},${round(y(share))}`
  const line = curve.map(({ rollouts, mean }) => at(rollouts, mean)).join(' ')
  const upper = curve.map(({ rollouts, high }) => at(rollouts, high))
  const lower = curve.map(({ rollouts, low }) => at(rollouts, low)).reverse()
  const band =
    curve.length < 2 ? '' : `<polygon points="${[...upper, ...lower].join(' ')}" fill="${color}" fill-opacity="0.1"/>`
  return `${band}<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>`
}

function legendLine(arm: string, index: number): string {
  const top = frame.top + 10 + index * 18
  const left = width - frame.right + 16
  return (
    `<line x1="${left}" x2="${left + 18}" y1="${top - 4}" y2="${top - 4}" stroke="${colorOf(index)}" stroke-width="2"/>` +
    `<text x="${left + 24}" y="${top}" fill="#222222">${escapeXml(shortened(arm))}</text>`
  )
}

function gridOf(x: Scale, y: Scale, last: number, top: number): string {
  const shares = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const share = part * top
    return (
      `<line x1="${round(x(0))}" x2="${round(x(last))}" y1="${round(y(share))}" y2="${round(y(share))}" stroke="#dddddd"/>` +
      `<text x="${round(x(0) - 8)}" y="${round(y(share) + 4)}" text-anchor="end" fill="#444444">${Number((share * 100).toFixed(1))} %</text>`
    )
  })
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const rollouts = Math.round(part * last)
    return `<text x="${round(x(rollouts))}" y="${height - frame.bottom + 18}" text-anchor="middle" fill="#444444">${rollouts}</text>`
  })
  const middle = round((x(0) + x(last)) / 2)
  const label = `<text x="${middle}" y="${height - 8}" text-anchor="middle" fill="#444444">rollouts generated</text>`
  return [...shares, ...ticks, label].join('')
}

const shortened = (arm: string) => (arm.length > 26 ? `${arm.slice(0, 25)}…` : arm)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

const round = (value: number) => Math.round(value * 10) / 10

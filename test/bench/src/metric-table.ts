import type { Metric } from './metric.ts'

const heads = ['id', 'what', 'value', 'unit', 'floor', 'ratio', 'target', ''] as const

/** Metrics as aligned columns, one a line. */
export function metricTable(metrics: readonly Metric[]): string {
  const rows = metrics.map(({ id, what, value, unit, floor, ratio, target, ok }) => {
    return [id, what, number(value), unit, number(floor), number(ratio), number(target), mark(target, ok)]
  })
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(heads), ...rows.map(line)].join('\n')
}

function number(value: number | null): string {
  return value === null ? '' : value.toPrecision(3).includes('e') ? value.toFixed(0) : value.toPrecision(3)
}

function mark(target: number | null, ok: boolean): string {
  if (target === null) return ''
  return ok ? '✔' : '✖'
}

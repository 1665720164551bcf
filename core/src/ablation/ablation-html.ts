import { ablationCurvesSvg, escapeXml } from './ablation-curves-svg.ts'
import type { AblationReport } from './ablation-report.ts'
import { aboutText, measureRows, type Rows, successRows } from './ablation-table.ts'

const style =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}' +
  'div{overflow-x:auto}table{border-collapse:collapse}th,td{padding:.3rem .7rem;text-align:left;border-bottom:1px solid #ddd;' +
  'white-space:nowrap}svg{max-width:100%;height:auto}'

/** A page of its own with the curves and both tables; holds no script and loads nothing. */
export function ablationHtml(report: AblationReport): string {
  const title = escapeXml(report.name)
  return (
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n` +
    `<title>${title}</title>\n<style>${style}</style>\n<h1>${title}</h1>\n${ablationCurvesSvg(report)}` +
    `<h2>Success</h2>\n${table(successRows(report))}\n<p>${escapeXml(aboutText(report))}</p>\n` +
    `<h2>Training</h2>\n${table(measureRows(report))}\n</html>\n`
  )
}

function table([head = [], ...rows]: Rows): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('')
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
  return `<div><table>\n<tr>${cells(head, 'th')}</tr>\n${body}\n</table></div>`
}

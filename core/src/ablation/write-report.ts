import { join } from 'node:path'
import { makeFolder } from '../artifacts/make-folder.ts'
import { writeFileAtomic } from '../artifacts/write-file-atomic.ts'
import { ablationCurvesSvg } from './ablation-curves-svg.ts'
import { ablationHtml } from './ablation-html.ts'
import type { AblationReport } from './ablation-report.ts'
import { aboutText, markdownTable, measureRows, successRows } from './ablation-table.ts'

/** Writes `report.json`, `report.md`, `report.html` and `curves.svg` whole into the ablation's folder. */
export async function writeReport(directory: string, report: AblationReport): Promise<void> {
  await makeFolder(directory)
  const tables = [markdownTable(successRows(report)), aboutText(report), markdownTable(measureRows(report))]
  await writeFileAtomic(join(directory, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  await writeFileAtomic(join(directory, 'report.md'), `# ${report.name}\n\n${tables.join('\n\n')}\n`)
  await writeFileAtomic(join(directory, 'curves.svg'), ablationCurvesSvg(report))
  await writeFileAtomic(join(directory, 'report.html'), ablationHtml(report))
}

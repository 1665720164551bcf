import type { GateReport } from '../synthesis/gate/gate-report.ts'

type Unreadable = { readonly environmentId: string; readonly status: 'error'; readonly message: string }

/** One line per environment, and one per objection below it. */
export function gateLines(report: GateReport | Unreadable): readonly string[] {
  const head = `${report.status.padEnd(8)}${report.environmentId}`
  if ('message' in report) return [head, `  ${report.message}`]
  const { findings, tools, tasks, killed, mutants } = report
  const about = [
    ...findings.map((finding) => ({ what: 'environment', finding })),
    ...tools.flatMap((tool) => tool.findings.map((finding) => ({ what: `tool ${tool.name}`, finding }))),
    ...tasks.flatMap((task) => task.findings.map((finding) => ({ what: `task ${task.id}`, finding }))),
  ]
  const counts = `${tools.length} tools, ${tasks.length} tasks, ${killed} of ${mutants} mutants refused`
  return [`${head}  ${counts}`, ...about.map(({ what, finding }) => `  ${what}: ${finding.code}: ${finding.message}`)]
}

import { configurationCheck, type DoctorCheck, machineChecks } from '../doctor/checks.ts'
import { RlenvCommand } from '../rlenv-command.ts'
import { textTable } from '../text-table.ts'

export default class Doctor extends RlenvCommand {
  static override readonly summary = 'Check this machine and this project: Node, SQLite, sandbox, disk, configuration.'
  static override readonly description = 'Ends with exit code 2 when something must be repaired.'
  static override readonly examples = ['<%= config.bin %> doctor']
  static override readonly flags = { ...RlenvCommand.configFlags }

  override async run(): Promise<unknown> {
    const { flags } = await this.parse(Doctor)
    const configuration = await configurationCheck(() =>
      this.withSession(flags, [], async ({ config, pipeline }) => ({ config, hooks: pipeline.report.hooks })),
    )
    const checks: readonly DoctorCheck[] = [
      ...(await machineChecks(configuration.outputFolder)),
      ...configuration.checks,
    ]
    const marks = { ok: '✔', warning: '!', failed: '✖' }
    this.log(textTable(checks.map(({ name, status, message }) => [marks[status], name, message])))
    for (const { name, fix } of checks) if (fix !== null) this.log(`fix ${name}: ${fix}`)
    const failed = checks.some(({ status }) => status === 'failed')
    if (failed) process.exitCode = 2
    return { status: failed ? 'failed' : 'ok', checks }
  }
}

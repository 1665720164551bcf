import { basename, join, resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { readBundle } from '../../artifacts/bundle-directory.ts'
import { RandomStream } from '../../determinism/random-stream.ts'
import { isRlenvError, RlenvError } from '../../errors/rlenv-error.ts'
import type { GateReport } from '../../synthesis/gate/gate-report.ts'
import { validateEnvironment } from '../../synthesis/gate/validate-environment.ts'
import { isBundle, listBundles } from '../environment-folder.ts'
import { RlenvCommand, type Session } from '../rlenv-command.ts'
import { gateLines } from '../validation-lines.ts'
import { wordArgument } from '../word-argument.ts'

/** A bundle that could be checked, or one that could not even be read. */
export type Validation =
  | GateReport
  | { readonly environmentId: string; readonly status: 'error'; readonly message: string }

export default class Validate extends RlenvCommand {
  static override readonly summary =
    'Check bundles at the gate: valid, invalid, error or timeout, with every objection.'
  static override readonly description = 'Ends with exit code 3 unless everything is valid.'
  static override readonly examples = [
    '<%= config.bin %> validate',
    '<%= config.bin %> validate environments/public-library',
  ]
  static override readonly strict = false
  static override readonly args = {
    paths: wordArgument({ description: 'Bundles, or folders of bundles. Default: environments.' }),
  }
  static override readonly flags = {
    ...RlenvCommand.configFlags,
    'min-tasks': Flags.integer({ description: 'Fewest valid tasks of a valid environment.', default: 1, min: 0 }),
  }

  override async run(): Promise<unknown> {
    const { flags, argv } = await this.parse(Validate)
    return this.withSession(flags, [], async (session) => {
      session.pipeline.require(['verifier'])
      const folders = await bundleFolders(
        argv.length > 0 ? (argv as string[]) : [join(session.config.baseDirectory, 'environments')],
      )
      const reports: Validation[] = []
      for (const folder of folders) {
        const report = await validate(folder, session, flags['min-tasks'])
        this.log(gateLines(report).join('\n'))
        reports.push(report)
      }
      return this.#conclude(reports)
    })
  }

  #conclude(reports: readonly Validation[]): unknown {
    const failed = reports.filter(({ status }) => status !== 'valid')
    this.log(`${reports.length - failed.length} of ${reports.length} environments are valid`)
    if (failed.length > 0) process.exitCode = 3
    return {
      status: failed.length === 0 ? 'valid' : 'invalid',
      valid: reports.length - failed.length,
      environments: reports,
    }
  }
}

async function bundleFolders(paths: readonly string[]): Promise<readonly string[]> {
  const folders = await Promise.all(
    paths.map(async (path) => {
      const folder = resolve(path)
      if (await isBundle(folder)) return [folder]
      return (await listBundles(folder)).map((id) => join(folder, id))
    }),
  )
  if (folders.flat().length > 0) return folders.flat()
  throw new RlenvError(`there is no environment bundle in ${paths.join(', ')}`, {
    code: 'RLENV_USAGE',
    fix: 'Run rlenv synth first, or name a bundle or a folder of bundles.',
  })
}

async function validate(folder: string, { pipeline, config, signal }: Session, minTasks: number): Promise<Validation> {
  try {
    const environment = await readBundle(folder)
    const random = RandomStream.of(config.seed, 'validate', environment.id)
    return await validateEnvironment(environment, { pipeline, random, signal, minTasks })
  } catch (cause) {
    if (!isRlenvError(cause) || cause.code !== 'RLENV_BUNDLE_INVALID') throw cause
    return { environmentId: basename(folder), status: 'error', message: cause.message }
  }
}

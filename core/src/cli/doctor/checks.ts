import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { ResolvedConfig } from '../../config/rlenv-config.ts'
import { loadSandbox } from '../../environment/sandbox/quickjs-module.ts'
import { checkNativeModule } from '../../environment/sqlite/native-module.ts'
import { isRlenvError, messageOf } from '../../errors/rlenv-error.ts'
import { type HookName, hookPoints } from '../../hooks/pipeline-hooks.ts'
import type { HookReport } from '../../plugin/pipeline.ts'

export interface DoctorCheck {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly message: string
  readonly fix: string | null
}

const oldestNode = [20, 19] as const
const gibibyte = 1024 ** 3
/** What the quickstart needs at its peak, in bytes. */
const wantedMemory = gibibyte
const wantedDisk = gibibyte / 2

const ok = (name: string, message: string): DoctorCheck => ({ name, status: 'ok', message, fix: null })

/** Everything about the machine that rlenv depends on. */
export async function machineChecks(outputFolder: string): Promise<readonly DoctorCheck[]> {
  return [nodeCheck(), sqliteCheck(), await sandboxCheck(), sizeCheck(), await diskCheck(outputFolder)]
}

function nodeCheck(): DoctorCheck {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const message = `Node ${process.version}, ABI ${process.versions.modules}, ${process.platform}-${process.arch}`
  const [oldestMajor, oldestMinor] = oldestNode
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('node', message)
  return { name: 'node', status: 'failed', message, fix: `Install Node ${oldestNode.join('.')} or newer.` }
}

function sqliteCheck(): DoctorCheck {
  const report = checkNativeModule()
  if (report.ok) return ok('sqlite', `SQLite ${report.sqliteVersion}`)
  return { name: 'sqlite', status: 'failed', message: report.message, fix: report.fix }
}

async function sandboxCheck(): Promise<DoctorCheck> {
  try {
    await loadSandbox()
    return ok('sandbox', 'script tools and script verifiers can run')
  } catch (cause) {
    const message = `the script sandbox does not start: ${messageOf(cause)}`
    return { name: 'sandbox', status: 'failed', message, fix: 'Install the packages again with "npm ci".' }
  }
}

function sizeCheck(): DoctorCheck {
  const message = `${availableParallelism()} cores, ${(totalmem() / gibibyte).toFixed(1)} GiB of memory`
  if (totalmem() >= wantedMemory) return ok('machine', message)
  return { name: 'machine', status: 'warning', message, fix: 'Train with fewer environments, or on a larger machine.' }
}

async function diskCheck(folder: string): Promise<DoctorCheck> {
  try {
    const existing = await nearestFolder(folder)
    const probe = await mkdtemp(join(existing, '.rlenv-doctor-'))
    await writeFile(join(probe, 'probe'), 'probe')
    await rm(probe, { recursive: true })
    const { bavail, bsize } = await statfs(existing)
    const message = `${folder} is writable, ${((bavail * bsize) / gibibyte).toFixed(1)} GiB free`
    if (bavail * bsize >= wantedDisk) return ok('disk', message)
    return { name: 'disk', status: 'warning', message, fix: 'Free some space, or set output.directory elsewhere.' }
  } catch (cause) {
    const message = `${folder} cannot be written to: ${messageOf(cause)}`
    return { name: 'disk', status: 'failed', message, fix: 'Set output.directory to a folder that you may write to.' }
  }
}

/** The folder itself or the closest one above it that exists. */
async function nearestFolder(folder: string): Promise<string> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    try {
      await statfs(path)
      return path
    } catch (cause) {
      if (dirname(path) === path) throw cause
    }
  }
}

/** What a loaded configuration shows the doctor. */
interface Loaded {
  readonly config: ResolvedConfig
  readonly hooks: readonly HookReport[]
}

/** Loads the configuration, if there is one, and looks for hook points that nothing fills. */
export async function configurationCheck(
  load: () => Promise<Loaded>,
): Promise<{ readonly checks: readonly DoctorCheck[]; readonly outputFolder: string }> {
  try {
    const { config, hooks } = await load()
    const outputFolder = resolve(config.baseDirectory, config.output.directory)
    return { checks: [ok('configuration', config.file ?? 'in memory'), hooksCheck(hooks)], outputFolder }
  } catch (cause) {
    if (!isRlenvError(cause)) throw cause
    const missing = cause.code === 'RLENV_CONFIG_NOT_FOUND'
    const status = missing ? 'warning' : 'failed'
    const check: DoctorCheck = { name: 'configuration', status, message: cause.message, fix: cause.fix ?? null }
    return { checks: [check], outputFolder: resolve('outputs') }
  }
}

/** Hook points that may stay empty: a learner may serve its own policy, the others are extras. */
const mayBeEmpty: ReadonlySet<HookName> = new Set(['policy', 'curriculum', 'watch'])

function hooksCheck(hooks: readonly HookReport[]): DoctorCheck {
  const empty = hooks
    .filter(({ hook, plugins }) => plugins.length === 0 && !mayBeEmpty.has(hook))
    .map(({ hook }) => hook)
  const filled = Object.keys(hookPoints).length - empty.length
  if (empty.length === 0) return ok('hook points', `${filled} filled or optional`)
  const message = `nothing fills ${empty.join(', ')}`
  return { name: 'hook points', status: 'warning', message, fix: 'Add plugins for them before you train.' }
}

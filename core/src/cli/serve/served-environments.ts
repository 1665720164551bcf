import { resolve } from 'node:path'
import { readBundle } from '../../artifacts/bundle-directory.ts'
import { readBundles } from '../../artifacts/read-bundles.ts'
import { didYouMean } from '../../errors/near-names.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import { isBundle } from '../environment-folder.ts'
import type { Session } from '../rlenv-command.ts'
import { configuredEnvironments } from '../synthesized-environments.ts'

/** The environments of a bundle or a folder of bundles; without one, those of the configuration. */
export async function servedEnvironments(
  session: Session,
  bundle: string | undefined,
): Promise<readonly Environment[]> {
  if (bundle === undefined) return (await configuredEnvironments(session)).environments
  const folder = resolve(bundle)
  const environments = (await isBundle(folder)) ? [await readBundle(folder)] : await readBundles(folder)
  if (environments.length > 0) return environments
  throw new RlenvError(`${bundle} holds no environments`, {
    code: 'RLENV_USAGE',
    fix: 'Run rlenv synth first, or name a bundle or a folder of bundles.',
  })
}

/** Which environment and task a session is wanted of. */
export interface SessionChoice {
  readonly environmentId: string
  readonly taskId: string | undefined
}

interface SessionFlags {
  readonly environment: string | undefined
  readonly task: string | undefined
}

/**
 * What the flags ask a session for; null when they ask for none. A whole task id names its environment as well.
 *
 * @throws {RlenvError} RLENV_USAGE naming near ids.
 */
export function chosenSession(environments: readonly Environment[], flags: SessionFlags): SessionChoice | null {
  const { environment = flags.task?.split('/').slice(0, -1).join('/') || undefined, task: taskId } = flags
  if (environment !== undefined) {
    const { id } = named(environments, environment)
    return { environmentId: id, taskId }
  }
  return taskId === undefined ? null : { environmentId: onlyOne(environments).id, taskId }
}

/** The environment that is meant when none is named. @throws {RlenvError} RLENV_USAGE when there are several. */
export function onlyOne(environments: readonly Environment[]): Environment {
  const [first, ...others] = environments
  if (first !== undefined && others.length === 0) return first
  const known = environments.map(({ id }) => id)
  throw new RlenvError(`${known.length} environments are served and none is named`, {
    code: 'RLENV_USAGE',
    fix: `Name one with --environment: ${known.slice(0, 8).join(', ')}${known.length > 8 ? ', …' : ''}.`,
  })
}

function named(environments: readonly Environment[], id: string): Environment {
  const found = environments.find((environment) => environment.id === id)
  if (found !== undefined) return found
  const known = environments.map((environment) => environment.id)
  throw new RlenvError(`there is no environment "${id}" among the ${known.length} that are served`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(id, known) ?? `Name one of ${known.slice(0, 8).join(', ')}.`,
  })
}

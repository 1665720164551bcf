import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Task } from '../vocabulary/task.ts'

/** @throws {RlenvError} RLENV_USAGE for an environment that is not served. */
export function environmentNamed(environments: ReadonlyMap<string, Environment>, id: string): Environment {
  const environment = environments.get(id)
  if (environment !== undefined) return environment
  const known = [...environments.keys()]
  throw new RlenvError(`no environment "${id}" is served`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(id, known) ?? 'Ask for the list of environments.',
  })
}

/**
 * @param name - the whole id, or the part after the environment's.
 * @throws {RlenvError} RLENV_USAGE for a task that the environment has not.
 */
export function taskNamed(environment: Environment, name: string): Task {
  const full = name.includes('/') ? name : `${environment.id}/${name}`
  const found = environment.tasks.find(({ id }) => id === full)
  if (found !== undefined) return found
  const known = environment.tasks.map(({ id }) => id)
  throw new RlenvError(`${environment.id} has no task "${name}"`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(full, known) ?? 'Ask for the list of tasks.',
  })
}

import { type Environment, RlenvError, type Task } from 'rlenv'

export interface StrataOptions {
  readonly by: 'taxonomy' | 'difficulty' | 'kind' | 'environment'
  readonly depth: number
  readonly difficultyBands: number
}

/** Task ids by stratum, strata in the order of their names. */
export function strataOf(
  tasks: readonly Task[],
  environments: readonly Environment[],
  options: StrataOptions,
): ReadonlyMap<string, readonly string[]> {
  const taxonomies = new Map(environments.map(({ id, scenario }) => [id, scenario.taxonomy]))
  const strata = new Map<string, string[]>()
  for (const task of tasks) {
    const name = stratumOf(task, taxonomies.get(task.environmentId) ?? [], options)
    strata.set(name, [...(strata.get(name) ?? []), task.id])
  }
  return new Map([...strata].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function stratumOf(task: Task, taxonomy: readonly string[], { by, depth, difficultyBands }: StrataOptions): string {
  switch (by) {
    case 'taxonomy':
      return taxonomy.slice(0, depth).join('/')
    case 'difficulty': {
      const band = Math.min(difficultyBands - 1, Math.floor(task.difficulty * difficultyBands))
      return `${band / difficultyBands}-${(band + 1) / difficultyBands}`
    }
    case 'kind':
      return task.kind
    case 'environment':
      return task.environmentId
  }
}

/**
 * Share of draws per stratum; they sum to one.
 *
 * @param weights - by stratum; a stratum that is not named weighs 1.
 * @throws {RlenvError} RLENV_PLUGIN_OPTIONS when a weight names no stratum, or nothing is left to draw.
 */
export function sharesOf(
  strata: ReadonlyMap<string, readonly string[]>,
  weights: Readonly<Record<string, number>>,
): ReadonlyMap<string, number> {
  const stranger = Object.keys(weights).find((name) => !strata.has(name))
  if (stranger !== undefined) throw refused(`there is no stratum "${stranger}"`, strata)
  const raw = [...strata.keys()].map((name) => [name, Object.hasOwn(weights, name) ? (weights[name] ?? 0) : 1] as const)
  const total = raw.reduce((sum, [, weight]) => sum + weight, 0)
  if (total === 0) throw refused('every stratum has the weight 0', strata)
  return new Map(raw.map(([name, weight]) => [name, weight / total]))
}

function refused(why: string, strata: ReadonlyMap<string, readonly string[]>): RlenvError {
  return new RlenvError(`${why}; the strata are ${[...strata.keys()].join(', ')}`, {
    code: 'RLENV_PLUGIN_OPTIONS',
    plugin: '@rlenv/sampler-stratified',
    hook: 'sampler',
    fix: 'Correct "weights".',
  })
}

import type { Environment } from '../../vocabulary/environment.ts'
import type { Task } from '../../vocabulary/task.ts'

/**
 * A scenario's name as AWM's files and OpenEnv's AWM environment compare names: lower case, everything but letters of
 * a to z and digits an underscore, none doubled and none at either end.
 */
export function scenarioKey(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
}

/** A task with its position among the tasks of its environment. */
export interface PlacedTask {
  readonly environment: Environment
  /** Null when the environment has no tasks. */
  readonly task: Task | null
  readonly index: number | null
}

/** The served environments, as OpenEnv's clients name them. */
export class ScenarioCatalog {
  readonly environments: readonly Environment[]
  readonly #byId: ReadonlyMap<string, Environment>
  readonly #byKey: ReadonlyMap<string, Environment>
  readonly #places: readonly PlacedTask[]

  constructor(environments: Iterable<Environment>) {
    this.environments = [...environments]
    this.#byId = new Map(this.environments.map((environment) => [environment.id, environment]))
    // Ids are entered last: no title of one environment hides the id of another.
    const titles = this.environments.map(({ scenario, id }) => [scenarioKey(scenario.name), id] as const)
    const ids = this.environments.map(({ id }) => [scenarioKey(id), id] as const)
    const keys = [...titles.toReversed(), ...ids.toReversed()]
    this.#byKey = new Map(keys.flatMap(([key, id]) => this.#entry(key, id)))
    this.#places = this.environments.flatMap(placesOf)
  }

  /** By id. */
  environment(id: string): Environment | undefined {
    return this.#byId.get(id)
  }

  /** By id or title, however it is spelt. */
  scenario(name: string): Environment | undefined {
    return this.#byKey.get(scenarioKey(name))
  }

  /** The task of a whole id (`<environment>/<task>`). */
  task(id: string): PlacedTask | undefined {
    return this.#places.find(({ task }) => task?.id === id)
  }

  /** Which task a number stands for when none was named: all of them, or an environment's, in their order, over and over. */
  pick(number: number, environment?: Environment): PlacedTask | undefined {
    const places = environment === undefined ? this.#places : placesOf(environment)
    return places[number % places.length]
  }

  #entry(key: string, id: string): readonly (readonly [string, Environment])[] {
    const environment = this.#byId.get(id)
    return environment === undefined || key === '' ? [] : [[key, environment]]
  }
}

function placesOf(environment: Environment): readonly PlacedTask[] {
  if (environment.tasks.length === 0) return [{ environment, task: null, index: null }]
  return environment.tasks.map((task, index) => ({ environment, task, index }))
}

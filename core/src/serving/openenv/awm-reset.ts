import { isObject } from '../../environment/tools/schema-references.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { EpisodePlan } from './dialect.ts'
import type { ScenarioCatalog } from './scenario-catalog.ts'

/** Rewards unless a reset brings its own table, which then replaces this one whole. What is absent is worth 0. */
export const awmRewards: Readonly<Record<string, number>> = { complete: 1, incomplete: 0.1, format_error: -1 }

interface AwmReset {
  readonly scenario: string
  readonly taskIndex: number | null
  /** A task of the client's own. */
  readonly task: string | null
  readonly seed: number | undefined
  readonly episodeId: string | undefined
  readonly rewards: Readonly<Record<string, number>>
}

const isInteger = (value: Json): value is number => Number.isSafeInteger(value)

const isText = (value: Json): value is string => typeof value === 'string'

const isRewards = (value: Json): value is Readonly<Record<string, number>> =>
  isObject(value) && Object.values(value).every((reward) => typeof reward === 'number')

/** A parameter that may be left out or null; its name when it is something else than it must be. */
function optional<Value extends Json>(data: JsonObject, name: string, fits: (value: Json) => value is Value) {
  const value = data[name] ?? null
  return value === null || fits(value) ? { value: value as Value | null, wrong: [] } : { value: null, wrong: [name] }
}

/** Keys and addresses of judge models may come along; they are not read, and nothing of a reset is ever logged. */
function readParameters(data: JsonObject): AwmReset | string {
  const scenario = optional(data, 'scenario', isText)
  const index = optional(data, 'task_idx', isInteger)
  const task = optional(data, 'task', isText)
  const seed = optional(data, 'seed', isInteger)
  const episodeId = optional(data, 'episode_id', isText)
  const rewards = optional(data, 'reward_config', isRewards)
  const [wrong] = [scenario, index, task, seed, episodeId, rewards].flatMap((parameter) => parameter.wrong)
  if (wrong !== undefined) return `Parameter '${wrong}' has a wrong type`
  if (scenario.value === null || scenario.value === '') return "Parameter 'scenario' is required"
  const given = rewards.value ?? {}
  return {
    scenario: scenario.value,
    taskIndex: index.value,
    task: task.value,
    seed: seed.value ?? undefined,
    episodeId: episodeId.value || undefined,
    rewards: Object.keys(given).length === 0 ? awmRewards : given,
  }
}

/** What a reset of the AWM dialect asks for, or why it cannot be had, in the words of its `reset_error`. */
export function readAwmReset(data: JsonObject, catalog: ScenarioCatalog): EpisodePlan | string {
  const asked = readParameters(data)
  if (typeof asked === 'string') return asked
  const environment = catalog.scenario(asked.scenario)
  if (environment === undefined) return `Scenario '${asked.scenario.slice(0, 200)}' not found`
  return planOf(asked, environment)
}

function planOf({ task: own, taskIndex, seed, episodeId, rewards }: AwmReset, environment: Environment) {
  const { tasks } = environment
  const task = taskIndex === null ? undefined : tasks[taskIndex]
  if (taskIndex !== null && task === undefined && own === null)
    return `task_idx ${taskIndex} out of range (0..${tasks.length - 1})`
  const instruction = own ?? task?.instruction ?? null
  return { environment, task: task ?? null, taskIndex, instruction, seed, episodeId, rewards }
}

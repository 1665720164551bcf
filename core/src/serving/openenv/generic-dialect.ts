import { isObject } from '../../environment/tools/schema-references.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { ToolErrorKind } from '../../vocabulary/tool.ts'
import type { SessionCall } from '../session-record.ts'
import { type Action, readToolAction, unknownAction } from './action.ts'
import { genericActionSchema, genericObservationSchema } from './action-schemas.ts'
import type { Dialect, EpisodePlan, ResetReading } from './dialect.ts'
import { extraFields, type FieldError, wrongType } from './field-error.ts'
import type { PlacedTask, ScenarioCatalog } from './scenario-catalog.ts'
import { type Fault, invalidMessage, type Reply } from './server-frame.ts'
import { openEnvTools } from './tool-list.ts'

/** What OpenEnv calls our kinds of error. What the application refuses is the tool's own failure. */
const errorTypes: Readonly<Record<ToolErrorKind, string>> = {
  unknown_tool: 'tool_not_found',
  invalid_arguments: 'invalid_args',
  business_rejection: 'execution_error',
  environment_fault: 'transport_error',
  timeout: 'timeout',
}

/** Content that was too long is kept as its sizes; what there is of it stands in the text. */
const isCut = (content: Json): boolean => isObject(content) && isObject(content.$cut)

/**
 * A call's outcome as OpenEnv's tool environments put it: what the tool said as text, and as data. The official clients
 * hand `data` to their callers, so it is the text where that was cut.
 */
export function toolResult({ result, text }: SessionCall): JsonObject {
  const content = result.ok ? result.content : null
  const data = isCut(content) ? text : content
  return {
    content: [{ type: 'text', text }],
    structured_content: { result: data },
    meta: null,
    data,
    is_error: !result.ok,
  }
}

const reply = (observation: JsonObject, reward: number | null = null, done = false): Reply => {
  return { observation, reward, done }
}

const refused = (answer: Fault): ResetReading => ({ kind: 'refused', answer })

const unknown = (what: string): ResetReading => refused({ code: 'EXECUTION_ERROR', message: what })

const isCount = (value: Json): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const intFields = ['seed', 'task_idx']
const textFields = ['episode_id', 'environment_id', 'task_id']

/** Null counts as left out, as Python's clients send it. */
function resetErrors(data: JsonObject): readonly FieldError[] {
  const given = (field: string) => data[field] !== undefined && data[field] !== null
  const numbers = intFields.filter((field) => given(field) && !isCount(data[field] as Json))
  const texts = textFields.filter((field) => given(field) && typeof data[field] !== 'string')
  return [
    ...numbers.map((field) => wrongType('int', 'data', field)),
    ...texts.map((f) => wrongType('string', 'data', f)),
  ]
}

/** The task that was named: by its whole id, by its position in an environment, or else by the seed. */
function placeOf(data: JsonObject, catalog: ScenarioCatalog): PlacedTask | string {
  const { task_id: taskId, environment_id: environmentId, task_idx: index, seed } = data
  if (typeof taskId === 'string') return catalog.task(taskId) ?? `there is no task "${taskId.slice(0, 200)}"`
  const environment = typeof environmentId === 'string' ? catalog.environment(environmentId) : undefined
  if (typeof environmentId === 'string' && environment === undefined)
    return `there is no environment "${environmentId.slice(0, 200)}"`
  if (typeof index !== 'number') return catalog.pick(Number(seed ?? 0), environment) ?? 'no environment is served'
  const within = environment ?? catalog.environments[0]
  const task = within?.tasks[index]
  if (within === undefined || task === undefined) return `task_idx ${index} is beyond the tasks of ${within?.id}`
  return { environment: within, task, index }
}

function readReset(data: JsonObject, catalog: ScenarioCatalog): ResetReading {
  const errors = resetErrors(data)
  if (errors.length > 0) return refused(invalidMessage(errors))
  const place = placeOf(data, catalog)
  if (typeof place === 'string') return unknown(place)
  const { seed, episode_id: episodeId } = data
  const plan: EpisodePlan = {
    environment: place.environment,
    task: place.task,
    taskIndex: place.index,
    instruction: place.task?.instruction ?? null,
    seed: typeof seed === 'number' ? seed : undefined,
    episodeId: typeof episodeId === 'string' && episodeId !== '' ? episodeId : undefined,
    rewards: {},
  }
  return { kind: 'plan', plan }
}

/** `{"type":"verify","answer"?}`: an action of its own, so that no name of a tool that a policy writes ever reaches it. */
function readVerify(data: JsonObject): Action | readonly FieldError[] {
  const { answer = null } = data
  const errors = [
    ...extraFields(data, ['type', 'answer', 'metadata']),
    ...(answer === null || typeof answer === 'string' ? [] : [wrongType('string', 'answer')]),
  ]
  return errors.length > 0 ? errors : { kind: 'verify', answer: answer as string | null, mode: 'code' }
}

function verdictFields({ kind, passed, score, evidence, reason }: Verdict): JsonObject {
  return { verdict: kind, passed, score, reason: reason ?? null, evidence: evidence as unknown as Json }
}

const failure = (action: Action, type: string, message: string): JsonObject => {
  const error = { error_type: type, message }
  return action.kind === 'call' ? { tool_name: action.tool, result: null, error } : { error }
}

/** OpenEnv's environments of tools (`GenericEnvClient`, `MCPToolClient`), with a verdict as the episode's last step. */
export const genericDialect: Dialect = {
  name: 'generic',
  opensByItself: true,
  httpRefusal: null,
  schemas: { action: genericActionSchema, observation: genericObservationSchema },
  readReset,
  readAction(data) {
    if (data.type === 'verify') return readVerify(data)
    return readToolAction(data) ?? unknownAction(data, ['list_tools', 'call_tool', 'verify'])
  },
  opened({ environment, task, taskIndex, instruction }, toolCount) {
    const episode: JsonObject = {
      environment_id: environment.id,
      task_id: task?.id ?? null,
      task_idx: taskIndex,
      task: instruction,
      num_tools: toolCount,
    }
    // Clients of tool environments keep nothing of an observation but its metadata.
    return reply({ ...episode, metadata: episode })
  },
  notOpened: (why): Fault => ({ code: 'EXECUTION_ERROR', message: why }),
  listed: (tools) => reply({ tools: openEnvTools(tools) }),
  called(call) {
    const { name, result } = call
    if (result.ok) {
      const metadata = result.notice === undefined ? {} : { metadata: { notice: result.notice } }
      return reply({ tool_name: name, result: toolResult(call), error: null, ...metadata })
    }
    const { kind, code, message } = result.error
    const error = { error_type: errorTypes[kind], message }
    return reply({ tool_name: name, result: null, error, metadata: { kind, code } })
  },
  unverifiable: () => null,
  verified(verdict, _plan, stepCount) {
    const fields = { ...verdictFields(verdict), steps_taken: stepCount }
    return reply({ ...fields, metadata: fields }, verdict.kind === 'unscored' ? null : verdict.score, true)
  },
  ended: (_plan, stepCount) => reply({ steps_taken: stepCount }, null, true),
  scenarios: ({ environments }) => reply({ environments: environments.map(({ id }) => id) }),
  unopened: (action) => reply(failure(action, 'execution_error', 'there is no episode; reset first')),
  over: (action) =>
    reply(failure(action, 'execution_error', 'the episode is over; reset to start another'), null, true),
}

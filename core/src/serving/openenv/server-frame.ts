import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { FieldError } from './field-error.ts'

/** The codes of OpenEnv's error frames. After the first four the connection goes on, after the others it closes. */
export type FaultCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'FACTORY_ERROR'
  | 'SESSION_ERROR'

/** What a client did wrong or cannot have. An answer, not an exception. */
export interface Fault {
  readonly code: FaultCode
  readonly message: string
  /** For VALIDATION_ERROR. */
  readonly errors?: readonly FieldError[]
  /** For CAPACITY_REACHED. */
  readonly capacity?: { readonly active: number; readonly max: number }
}

export function isFault(value: object): value is Fault {
  return 'code' in value && 'message' in value
}

/** The message is fixed; what was wrong stands in `errors`. */
export function invalidMessage(errors: readonly FieldError[]): Fault {
  return { code: 'VALIDATION_ERROR', message: 'Invalid message', errors }
}

export function capacityReached(active: number, max: number): Fault {
  const message = `Server at capacity: ${active}/${max} sessions active. Cannot accept new connections.`
  return { code: 'CAPACITY_REACHED', message, capacity: { active, max } }
}

/** What a reset or a step is answered with. */
export interface Reply {
  /** Without `reward` and `done`, which stand beside it. */
  readonly observation: JsonObject
  readonly reward: number | null
  readonly done: boolean
}

/** An episode as `state` tells it. */
export interface EpisodeState {
  readonly episodeId: string | null
  /** Steps since the last reset, of any kind, until the episode is over. */
  readonly stepCount: number
}

export const replyBody = ({ observation, reward, done }: Reply): JsonObject => ({ observation, reward, done })

export const stateBody = ({ episodeId, stepCount }: EpisodeState): JsonObject => {
  return { episode_id: episodeId, step_count: stepCount }
}

const frame = (type: string, data: Json): string => JSON.stringify({ type, data })

export const observationFrame = (reply: Reply): string => frame('observation', replyBody(reply))

export const stateFrame = (state: EpisodeState): string => frame('state', stateBody(state))

export const mcpFrame = (response: JsonObject): string => frame('mcp', response)

export function errorFrame({ code, message, errors, capacity }: Fault): string {
  return frame('error', {
    message,
    code,
    ...(errors === undefined ? {} : { errors: errors.map(({ type, loc, msg }) => ({ type, loc, msg })) }),
    ...(capacity === undefined ? {} : { active_sessions: capacity.active, max_sessions: capacity.max }),
  })
}

import type { IncomingMessage } from 'node:http'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Json, JsonObject } from '../../vocabulary/json.ts'
import { HttpProblem } from '../http-problem.ts'
import type { Session } from '../session.ts'
import type { SessionState } from '../session-state.ts'

export function environmentSummary({ id, scenario, tools, tasks }: Environment): JsonObject {
  return { id, name: scenario.name, tools: tools.length, tasks: tasks.map((task) => task.id) }
}

/** What a task asks for; its gold solution stays here. */
export function environmentDetails({ id, scenario, tools, tasks, verifiers }: Environment): JsonObject {
  return {
    id,
    name: scenario.name,
    tools: tools.map(({ name, summary, effect }) => ({ name, summary, effect })),
    tasks: tasks.map(({ id: taskId, instruction, kind, difficulty }) => {
      return { id: taskId, instruction, kind, difficulty, verifiable: verifiers[taskId] !== undefined }
    }),
  }
}

/** @param request - the session's address is given under the name that the client used. */
export function sessionDocument(session: Session, { headers }: IncomingMessage): JsonObject {
  const { handle, environment, task, seed, surface, expiresAt, isBusy, calls } = session
  return {
    handle,
    mcp: `http://${headers.host}/mcp/${handle}`,
    environmentId: environment.id,
    taskId: task?.id ?? null,
    instruction: task?.instruction ?? null,
    seed,
    surface,
    calls: calls.length,
    busy: isBusy,
    expiresAt: Number.isFinite(expiresAt) ? expiresAt : null,
  }
}

/** The rows that changed, and whole tables where they are asked for. */
export async function stateDocument(
  state: SessionState | null,
  wanted: readonly string[],
  maxRows: number,
): Promise<JsonObject> {
  if (state === null) return { diff: null, tables: {}, cut: [] }
  const unknown = wanted.find((name) => !state.final.tables.includes(name))
  if (unknown !== undefined) {
    throw new HttpProblem(`there is no table "${unknown}" among ${state.final.tables.join(', ')}`, { status: 400 })
  }
  const tables: Record<string, Json> = {}
  const cut: string[] = []
  for (const name of wanted) {
    const rows = await state.final.rows(name)
    if (rows.length > maxRows) cut.push(name)
    tables[name] = rows.slice(0, maxRows) as readonly Json[]
  }
  return { diff: state.diff as unknown as Json, tableNames: state.final.tables, tables, cut }
}

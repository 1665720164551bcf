import type { Json, JsonObject } from '../../vocabulary/json.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { ToolErrorKind } from '../../vocabulary/tool.ts'
import { type Action, readToolAction, unknownAction } from './action.ts'
import { awmActionSchema, awmObservationSchema } from './action-schemas.ts'
import { awmRewards, readAwmReset } from './awm-reset.ts'
import type { Dialect, EpisodePlan } from './dialect.ts'
import { scenarioKey } from './scenario-catalog.ts'
import type { Reply } from './server-frame.ts'
import { openEnvTools } from './tool-list.ts'

const formatErrors: ReadonlySet<string> = new Set(['tool_not_found', 'invalid_args', 'invalid_action'])
const formatErrorReward = -1

/** A refusal of the application is an ordinary result: the call was well formed and nothing broke. */
const rewardTypes: Readonly<Record<ToolErrorKind, string>> = {
  unknown_tool: 'tool_not_found',
  invalid_arguments: 'invalid_args',
  business_rejection: 'tool_call_ok',
  environment_fault: 'server_error',
  timeout: 'timeout',
}

const notRunning = 'Sub-environment is not running. Call reset() first.'

function rewardOf(type: string, rewards = awmRewards): number {
  if (formatErrors.has(type)) return rewards.format_error ?? formatErrorReward
  return Object.hasOwn(rewards, type) ? (rewards[type] ?? 0) : 0
}

/** Leaves out what is null: AWM's client tells observations apart by the keys they have. */
function observed(type: string, reward: number | null, fields: Readonly<Record<string, Json | undefined>>): Reply {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return { observation: { reward_type: type, ...(Object.fromEntries(kept) as JsonObject) }, reward, done: false }
}

function taskFields({ environment, instruction, taskIndex }: EpisodePlan) {
  return { scenario: scenarioKey(environment.id), task: instruction, task_idx: taskIndex }
}

function verifiersOf({ environment, task }: EpisodePlan): JsonObject | null {
  const isVerified = task !== null && environment.verifiers[task.id] !== undefined
  return isVerified ? { sql: false, code: true } : null
}

/** The names that AWM's environment takes out of the tools' namespace. */
function controlAction(tool: string, args: JsonObject): Action | null {
  if (tool === 'done') return { kind: 'end' }
  if (tool === '__list_scenarios__') return { kind: 'scenarios' }
  if (tool !== 'verify') return null
  const { verifier_mode: mode = 'code', final_answer: answer = null } = args
  const text = answer === null || typeof answer === 'string' ? answer : JSON.stringify(answer)
  return { kind: 'verify', answer: text, mode: typeof mode === 'string' ? mode : JSON.stringify(mode) }
}

/** What AWM's verifiers say by word: a verdict between passed and failed is not one of theirs. */
function verdictWord(verdict: Verdict): 'complete' | 'others' | 'judge_error' {
  if (verdict.kind === 'unscored') return 'judge_error'
  return verdict.passed ? 'complete' : 'others'
}

function verifyResult(verdict: Verdict): JsonObject {
  const word = verdictWord(verdict)
  const { kind, score, evidence, reason = null } = verdict
  const raw: JsonObject = { kind, score, evidence: evidence as unknown as Json }
  if (word === 'judge_error') return { result: word, execution_status: 'error', error_message: reason, raw_result: raw }
  return { result: word, execution_status: 'success', raw_result: raw }
}

/** OpenEnv's Agent World Model environment, whose official client accepts no key that it does not know. */
export const awmDialect: Dialect = {
  name: 'awm',
  opensByItself: false,
  httpRefusal: {
    error: 'HTTP mode not supported for AWM environment',
    reason: 'Each HTTP request would get a world of its own, so that nothing is left of it for the next request.',
    solution: 'Use WebSocket endpoint instead',
  },
  schemas: { action: awmActionSchema, observation: awmObservationSchema },
  readReset(data, catalog) {
    const plan = readAwmReset(data, catalog)
    if (typeof plan !== 'string') return { kind: 'plan', plan }
    return { kind: 'refused', answer: observed('reset_error', null, { error: plan }) }
  },
  readAction(data) {
    const action = readToolAction(data)
    if (action === null) return unknownAction(data, ['list_tools', 'call_tool'])
    if (!('kind' in action) || action.kind !== 'call') return action
    return controlAction(action.tool, action.arguments) ?? action
  },
  opened(plan, toolCount) {
    const fields = { ...taskFields(plan), has_verifier: verifiersOf(plan), num_tools: toolCount }
    if (toolCount > 0) return observed('reset_ok', null, fields)
    return observed('reset_warning', null, { ...fields, warning: 'Sub-env started but no tools discovered.' })
  },
  notOpened: (why) => observed('reset_error', null, { error: `Sub-environment start failed: ${why}` }),
  listed: (tools) => ({ observation: { tools: openEnvTools(tools), error: null }, reward: null, done: false }),
  called({ name, result, text }, { rewards }) {
    if (result.ok)
      return observed('tool_call_ok', rewardOf('tool_call_ok', rewards), { tool_name: name, tool_result: text })
    const { kind, code, message } = result.error
    const type = rewardTypes[kind]
    const said = kind === 'business_rejection' ? { tool_result: text } : { error: message }
    return observed(type, rewardOf(type, rewards), { tool_name: name, ...said, metadata: { kind, code } })
  },
  unverifiable({ mode }, plan) {
    const because = (type: string, error: string, fields = {}) =>
      observed(type, rewardOf(type, plan.rewards), { ...fields, error })
    if (plan.instruction === null || plan.taskIndex === null)
      return because('no_verifier', 'Cannot verify: no task specified at reset')
    if (mode !== 'code' && mode !== 'sql')
      return because('invalid_args', `Invalid verifier_mode '${mode.slice(0, 100)}'. Must be one of: code, sql`)
    if (verifiersOf(plan)?.[mode] === true) return null
    return because('no_verifier', `No ${mode} verifier available for this task`, taskFields(plan))
  },
  verified(verdict, plan, stepCount) {
    const word = verdictWord(verdict)
    const fields = { verify_result: verifyResult(verdict), ...taskFields(plan), steps_taken: stepCount }
    return observed(word, rewardOf(word, plan.rewards), fields)
  },
  ended: (plan, stepCount) => {
    return { ...observed('episode_done', 0, { ...taskFields(plan), steps_taken: stepCount }), done: true }
  },
  scenarios({ environments }) {
    const scenarios = environments.map(({ id, scenario, tasks }): JsonObject => {
      const texts = tasks.map(({ instruction }) => instruction)
      return { name: scenarioKey(id), description: scenario.description, num_tasks: texts.length, tasks: texts }
    })
    return observed('tool_call_ok', null, { scenarios, total: scenarios.length })
  },
  unopened(action) {
    if (action.kind === 'list') return { observation: { tools: [], error: notRunning }, reward: null, done: false }
    if (action.kind === 'call')
      return observed('server_error', rewardOf('server_error'), { tool_name: action.tool, error: notRunning })
    const error = 'environment not initialized (reset failed or not called)'
    const what = action.kind === 'end' ? 'call done' : 'verify'
    const reply = observed('server_error', rewardOf('server_error'), { error: `Cannot ${what}: ${error}` })
    return { ...reply, done: action.kind === 'end' }
  },
  over() {
    const error = 'Episode has ended. Call reset() to start a new episode.'
    return { ...observed('episode_already_done', null, { error }), done: true }
  },
}

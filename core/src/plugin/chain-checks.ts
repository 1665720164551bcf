import { z } from 'zod'
import type { CallSite } from '../errors/plugin-error.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import { issueText, type SchemaIssue, schemaIssues } from '../errors/schema-issues.ts'
import type { ChainName } from '../hooks/pipeline-hooks.ts'
import { databaseDraftSchema } from '../vocabulary/database.ts'
import { scenarioSchema } from '../vocabulary/scenario.ts'
import { storedVerifierSchema, taskSchema } from '../vocabulary/task.ts'
import { toolSchema } from '../vocabulary/tool.ts'

/** What is wrong with a value, or an empty list. */
type Check = (value: unknown) => readonly Pick<SchemaIssue, 'path' | 'message' | 'suggestion'>[]

const scenariosSchema = unique(z.array(scenarioSchema), 'id')
const toolsetSchema = z.strictObject({
  tools: unique(z.array(toolSchema), 'name'),
  scripts: z.record(z.string(), z.string()),
})
const tasksSchema = unique(z.array(taskSchema), 'id')

/** The shaper runs after every rollout and groups are large, so these two look at no more than they must. */
const checks: Readonly<Record<ChainName, Check>> = {
  scenarioSource: (value) => schemaIssues(scenariosSchema, value),
  dbMiner: (value) => schemaIssues(databaseDraftSchema, value),
  toolGenerator: (value) => schemaIssues(toolsetSchema, value),
  taskGenerator: (value) => schemaIssues(tasksSchema, value),
  rewardShaper: (value) =>
    Number.isFinite(value) ? none : wrong('', `expected a finite number, got ${String(value)}`),
  groups: checkGroups,
}

const none: ReturnType<Check> = []

const oneLine: Readonly<Record<ChainName, string>> = {
  scenarioSource: 'the scenarios',
  dbMiner: 'the database',
  toolGenerator: 'the toolset',
  taskGenerator: 'the tasks',
  rewardShaper: 'the reward',
  groups: 'the groups',
}

/**
 * Refuses what a chain's handler must not return.
 *
 * @throws {RlenvError} RLENV_PLUGIN_RETURNED_NOTHING for undefined and null, RLENV_PLUGIN_RETURNED_INVALID otherwise.
 */
export function checkChainValue(chain: ChainName, site: CallSite, value: unknown): void {
  if (value === undefined || value === null) throw nothing(chain, site, value)
  const issues = checks[chain](value)
  if (issues.length > 0) throw misfit(site, issues)
}

/** @throws {RlenvError} RLENV_PLUGIN_RETURNED_INVALID when it is no stored verifier. */
export function checkStoredVerifier(site: CallSite, value: unknown): void {
  const issues = schemaIssues(storedVerifierSchema, value)
  if (issues.length > 0) throw misfit(site, issues)
}

const verdictKinds: ReadonlySet<unknown> = new Set(['passed', 'failed', 'partial', 'unscored'])

/** Looks only at what rlenv itself reads of a verdict; it runs after every rollout. */
export function checkVerdict(site: CallSite, value: unknown): void {
  const { kind, passed, score, evidence } = Object(value) as Readonly<Record<string, unknown>>
  if (!verdictKinds.has(kind))
    throw misfit(site, wrong('kind', `expected passed, failed, partial or unscored, got ${String(kind)}`))
  if (passed !== (kind === 'passed')) {
    throw misfit(
      site,
      wrong('passed', `expected ${kind === 'passed'} for the kind "${String(kind)}", got ${String(passed)}`),
    )
  }
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    throw misfit(site, wrong('score', `expected a number from 0 to 1, got ${String(score)}`))
  }
  if (!Array.isArray(evidence)) throw misfit(site, wrong('evidence', 'expected a list'))
}

function checkGroups(value: unknown): ReturnType<Check> {
  if (!Array.isArray(value)) return wrong('', 'expected a list of groups')
  const index = value.findIndex((group: unknown) => !isGroup(group))
  return index === -1 ? none : wrong(`[${index}]`, 'expected a group with "drawId", "taskId" and "members"')
}

function isGroup(value: unknown): boolean {
  const { drawId, taskId, members } = Object(value) as Readonly<Record<string, unknown>>
  return typeof drawId === 'string' && typeof taskId === 'string' && Array.isArray(members)
}

function unique<Item extends object>(list: z.ZodType<Item[]>, key: keyof Item & string): z.ZodType<Item[]> {
  return list.check((context) => {
    const seen = new Set<unknown>()
    for (const [index, item] of context.value.entries()) {
      const name = item[key]
      if (seen.has(name)) {
        context.issues.push({ code: 'custom', input: name, path: [index, key], message: 'this value is taken already' })
      }
      seen.add(name)
    }
  })
}

function wrong(path: string, message: string): ReturnType<Check> {
  return [{ path, message, suggestion: undefined }]
}

function nothing(chain: ChainName, { plugin, hook }: CallSite, value: unknown): RlenvError {
  return new RlenvError(`${plugin} returned ${String(value)} from ${hook}`, {
    code: 'RLENV_PLUGIN_RETURNED_NOTHING',
    plugin,
    hook,
    fix: `Return ${oneLine[chain]} from the handler, unchanged when there is nothing to do.`,
  })
}

function misfit({ plugin, hook }: CallSite, issues: ReturnType<Check>): RlenvError {
  const shown = issues.slice(0, 5).map((issue) => issueText({ ...issue, keys: [] }))
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : ''
  return new RlenvError(`${plugin} returned a value that does not fit ${hook}: ${shown.join('; ')}${more}`, {
    code: 'RLENV_PLUGIN_RETURNED_INVALID',
    plugin,
    hook,
    fix: `Correct what ${plugin} returns from ${hook}; docs/hooks.md gives the form.`,
  })
}

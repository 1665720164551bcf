import type { DatabaseDraft, GoldRun, Json, JsonObject, RowChange, StateReader, Task, VerifierContext } from 'rlenv'
import { schemaReferences } from './schema-references.ts'
import type { AnswerCheck, AnswerWording, CallCheck, ColumnReference, StoredChecks } from './stored-checks.ts'

export interface PrepareOptions {
  readonly answers: AnswerWording
  readonly rounding: Readonly<Record<string, number>>
  readonly volatile: readonly string[]
}

/**
 * The checks that follow from a gold run, or undefined when there is nothing to hold a rollout to: no row changes, no
 * answer, no act.
 */
export async function prepareChecks(
  task: Task,
  context: VerifierContext,
  options: PrepareOptions,
): Promise<StoredChecks | undefined> {
  const { goldRun, database, toolset } = context
  const writes = new Set(toolset.tools.filter((tool) => tool.effect === 'write').map((tool) => tool.name))
  const calls = tracelessActs(goldRun, writes)
  const answer = task.gold.answer === null ? null : await answerCheck(task.gold.answer, context, options.answers)
  if (goldRun.diff.length === 0 && answer === null && calls.length === 0) return undefined
  const notes = comparisonNotes(database)
  const tables = new Set(goldRun.diff.map((change) => change.table))
  const references = referencesOf(database).filter(({ table, target }) => tables.has(table) && tables.has(target))
  const inserted = goldRun.diff.filter((change) => change.kind === 'insert')
  const volatile = [...notes.volatile, ...options.volatile].filter((name) =>
    inserted.some(({ table }) => name.startsWith(`${table}.`)),
  )
  return {
    kind: 'checks',
    state: goldRun.diff,
    generated: [...new Set([...inserted.flatMap((change) => generatedKeys(change, goldRun, references)), ...volatile])],
    rounding: roundingOf(tables, { ...notes.rounding, ...options.rounding }),
    references,
    answer,
    calls,
  }
}

/** Drafts are immutable; the schema of one is read once for all of its tasks. */
const knownReferences = new WeakMap<DatabaseDraft, readonly ColumnReference[]>()

function referencesOf(database: DatabaseDraft): readonly ColumnReference[] {
  const known = knownReferences.get(database) ?? schemaReferences(database.schema)
  knownReferences.set(database, known)
  return known
}

/** Writing calls that succeeded without changing a row: only the trajectory can show that they were made. */
function tracelessActs(goldRun: GoldRun, writes: ReadonlySet<string>): readonly CallCheck[] {
  return goldRun.calls
    .filter(({ call, result, diff }) => writes.has(call.tool) && result.ok && diff.length === 0)
    .map(({ call }) => ({ tool: call.tool, arguments: call.arguments }))
}

/** A key of one column that is no reference and that no caller gave comes from the database. */
function generatedKeys(
  change: Extract<RowChange, { readonly kind: 'insert' }>,
  goldRun: GoldRun,
  references: readonly ColumnReference[],
): readonly string[] {
  const columns = Object.keys(change.key)
  const [column] = columns
  if (columns.length !== 1 || column === undefined) return []
  if (references.some((reference) => reference.table === change.table && reference.column === column)) return []
  const value = JSON.stringify(change.key[column])
  const given = goldRun.calls.some(({ call, diff }) => {
    const inserts = diff.some((one) => one.kind === 'insert' && one.table === change.table)
    return inserts && Object.values(call.arguments).some((argument) => JSON.stringify(argument) === value)
  })
  return given ? [] : [`${change.table}.${column}`]
}

function roundingOf(
  tables: ReadonlySet<string>,
  declared: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const fitting = Object.entries(declared).filter(([name]) => tables.has(name.slice(0, name.lastIndexOf('.'))))
  return Object.fromEntries(fitting)
}

/**
 * What the plugins that wrote a database declared about comparing it: any plugin's annotation may hold
 * `rounding: { "table.column": decimals }` and `volatile: ["table.column"]`.
 */
function comparisonNotes(database: DatabaseDraft): {
  readonly rounding: Readonly<Record<string, number>>
  readonly volatile: readonly string[]
} {
  const notes = Object.values(database.annotations).filter(isObject)
  const digits = notes.flatMap(({ rounding }) => (isObject(rounding) ? Object.entries(rounding) : []))
  const names = notes.flatMap(({ volatile }) => (Array.isArray(volatile) ? (volatile as readonly Json[]) : []))
  return {
    rounding: Object.fromEntries(digits.filter((entry): entry is [string, number] => typeof entry[1] === 'number')),
    volatile: names.filter((name) => typeof name === 'string'),
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

async function answerCheck(value: Json, context: VerifierContext, wording: AnswerWording): Promise<AnswerCheck> {
  if (wording === 'exact' || typeof value !== 'string') return { value, wording, alternatives: [] }
  const instance = context.world.open()
  try {
    const state = await instance.capture()
    return { value, wording, alternatives: state === null ? [] : neighbours(value, state.initial) }
  } finally {
    await instance.close()
  }
}

const mostAlternatives = 200

/** Other values of the columns that hold the value. */
function neighbours(value: string, state: StateReader): readonly string[] {
  const others = new Set<string>()
  for (const table of state.tables) {
    const rows = state.rows(table)
    for (const column of Object.keys(rows[0] ?? {})) {
      if (!rows.some((row) => row[column] === value)) continue
      for (const row of rows) if (typeof row[column] === 'string') others.add(row[column])
    }
  }
  others.delete(value)
  return [...others].slice(0, mostAlternatives)
}

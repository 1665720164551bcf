import type { ToolCall } from 'rlenv'
import type { EntityRow } from '../database/rows.ts'
import type { EntityPlan, FieldPlan } from '../plan/application-plan.ts'
import type { Wording } from './wording.ts'
import type { Workbench } from './workbench.ts'

/** What tells one row from its siblings. */
export interface Mark {
  /** Words before the noun; empty when none. */
  readonly before: string
  /** Words after the noun or its owner; empty when none. */
  readonly after: string
  /** Look-ups that are needed to recognise it. */
  readonly calls: readonly ToolCall[]
  /** Stored status that a filter may name; null when the mark is no status. */
  readonly filter: string | null
}

const plain: Mark = { before: '', after: '', calls: [], filter: null }

/** Every mark that singles the row out among the rows of the same parent. */
export function distinguishingMarks(
  bench: Workbench,
  wording: Wording,
  entity: EntityPlan,
  row: EntityRow,
  parentKey: string,
  parentRow: EntityRow,
): readonly Mark[] {
  const others = bench.childrenOf(entity.key, parentKey, parentRow).filter((other) => other !== row)
  if (others.length === 0) return [plain]
  const marks: Mark[] = []
  if (row.state !== null && others.every((other) => other.state !== row.state)) {
    marks.push(stateMark(wording, entity, row))
  }
  for (const field of entity.fields) {
    const value = row.cells[field.column]
    if (value === undefined || others.some((other) => other.cells[field.column] === value)) continue
    marks.push({ ...plain, after: fieldWords(wording, field, value) })
  }
  for (const ref of entity.refs) {
    const target = row.refs[ref.target]
    if (ref.target === parentKey || target === undefined) continue
    if (others.some((other) => other.refs[ref.target] === target)) continue
    const mark = otherParentMark(bench, wording, ref.target, target)
    if (mark !== null) marks.push(mark)
  }
  return marks
}

function stateMark(wording: Wording, entity: EntityPlan, row: EntityRow): Mark {
  if (row.state === null) return plain
  const words = wording.state(entity, row.state)
  const filter = entity.status?.stored[row.state] ?? null
  return words.includes(' ') ? { ...plain, after: `that is ${words}`, filter } : { ...plain, before: words, filter }
}

function fieldWords(wording: Wording, field: FieldPlan, value: string | number): string {
  const text = wording.value(field, value)
  if (field.key === 'date' || field.key === 'pastDate')
    return wording.random.chance(0.6) ? `on ${text}` : `dated ${text}`
  if (field.key === 'time' && wording.random.chance(0.6)) return `at ${text}`
  return `with ${wording.field(field)} ${text}`
}

function otherParentMark(bench: Workbench, wording: Wording, key: string, row: EntityRow): Mark | null {
  const tool = row.label === null ? undefined : bench.tool(key, 'lookup')
  if (tool === undefined || row.label === null) return null
  return {
    ...plain,
    after: `with ${wording.noun(bench.entity(key))} ${row.label}`,
    calls: [{ tool: tool.tool.name, arguments: { [tool.role.argument]: row.label } }],
  }
}

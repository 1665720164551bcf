import type { JsonObject, ToolCall } from 'rlenv'
import type { EntityRow } from '../database/rows.ts'
import type { EntityPlan } from '../plan/application-plan.ts'
import { distinguishingMarks, type Mark } from './marks.ts'
import type { Wording } from './wording.ts'
import { pickOrNull, type ToolOf, type Workbench } from './workbench.ts'

/** A way to speak of one row, with the calls that find it. */
export interface Reference {
  readonly entity: EntityPlan
  readonly row: EntityRow
  /** A noun phrase, for example "the pending order of Ada Lund". */
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** 0 when found by its own name, otherwise one more than its owner. */
  readonly depth: number
  /** Whether the text is nothing but a name, so that a possessive reads well. */
  readonly bareName: boolean
  /** Whether the calls show all columns of the row. */
  readonly seen: boolean
  /** Entities of which values other than names were used to find it. */
  readonly readsValuesOf: readonly string[]
}

const deepest = 2

/** Finds words and calls for a row; null when the tools give no way to it. */
export function refer(
  bench: Workbench,
  wording: Wording,
  key: string,
  row: EntityRow,
  depth = deepest,
): Reference | null {
  const entity = bench.entity(key)
  const byLabel = row.label === null ? undefined : bench.tool(key, 'lookup')
  if (byLabel !== undefined && (depth === 0 || wording.random.chance(0.78))) {
    return referByLabel(wording, entity, row, byLabel)
  }
  const byOwner = depth === 0 ? null : referByParent(bench, wording, entity, row, depth)
  if (byOwner !== null) return byOwner
  return byLabel === undefined ? null : referByLabel(wording, entity, row, byLabel)
}

function referByLabel(wording: Wording, entity: EntityPlan, row: EntityRow, tool: ToolOf<'lookup'>): Reference {
  const label = row.label ?? ''
  const { random } = wording
  const withNoun = random.chance(0.72)
  const name = entity.label?.kind === 'title' || (withNoun && random.chance(0.2)) ? `"${label}"` : label
  return {
    entity,
    row,
    text: withNoun ? `${random.chance(0.6) ? 'the ' : ''}${wording.noun(entity)} ${name}` : name,
    calls: [{ tool: tool.tool.name, arguments: { [tool.role.argument]: label } }],
    depth: 0,
    bareName: !withNoun && !name.startsWith('"'),
    seen: !tool.role.brief,
    readsValuesOf: [],
  }
}

function referByParent(
  bench: Workbench,
  wording: Wording,
  entity: EntityPlan,
  row: EntityRow,
  depth: number,
): Reference | null {
  const targets = entity.refs.map((ref) => ref.target).filter((target) => bench.childrenTool(entity.key, target))
  const [owner] = entity.refs
  const usual = owner !== undefined && targets.includes(owner.target) && wording.random.chance(0.85)
  const parentKey = usual ? owner.target : pickOrNull(wording.random, targets)
  const tool = parentKey === null ? undefined : bench.childrenTool(entity.key, parentKey)
  const parentRow = parentKey === null ? undefined : row.refs[parentKey]
  if (parentKey === null || tool === undefined || parentRow === undefined) return null
  const marks = distinguishingMarks(bench, wording, entity, row, parentKey, parentRow)
  const mark = pickOrNull(wording.random, marks)
  const parent = mark === null ? null : refer(bench, wording, parentKey, parentRow, depth - 1)
  return mark === null || parent === null ? null : childReference(wording, entity, row, tool, parent, mark)
}

function childReference(
  wording: Wording,
  entity: EntityPlan,
  row: EntityRow,
  tool: ToolOf<'children'>,
  parent: Reference,
  mark: Mark,
): Reference {
  const args: JsonObject = {
    [tool.role.argument]: parent.row.id,
    ...(mark.filter !== null && tool.role.status !== null && wording.random.chance(0.4)
      ? { [tool.role.status]: mark.filter }
      : {}),
  }
  return {
    entity,
    row,
    text: childText(wording, entity, parent, mark),
    calls: [...parent.calls, { tool: tool.tool.name, arguments: args }, ...mark.calls],
    depth: parent.depth + 1,
    bareName: false,
    seen: true,
    readsValuesOf: [...parent.readsValuesOf, entity.key],
  }
}

function childText(wording: Wording, entity: EntityPlan, parent: Reference, mark: Mark): string {
  const before = mark.before === '' ? '' : `${mark.before} `
  const after = mark.after === '' ? '' : ` ${mark.after}`
  const noun = wording.noun(entity)
  if (parent.bareName && wording.random.chance(0.5)) return `${parent.text}'s ${before}${noun}${after}`
  const join = wording.random.pick(['of', 'of', 'belonging to'])
  return mark.after !== '' && wording.random.chance(0.5) && parent.depth === 0
    ? `the ${before}${noun}${after} ${join} ${parent.text}`
    : `the ${before}${noun} ${join} ${parent.text}${after}`
}

/** The reference with all columns of its row in view; null when no tool shows them. */
export function inFullView(bench: Workbench, reference: Reference): Reference | null {
  if (reference.seen) return reference
  const tool = bench.tool(reference.entity.key, 'get')
  if (tool === undefined) return null
  const call = { tool: tool.tool.name, arguments: { [reference.entity.idParameter]: reference.row.id } }
  return { ...reference, calls: [...reference.calls, call], seen: true }
}

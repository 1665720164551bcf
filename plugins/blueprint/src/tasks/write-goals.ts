import type { ToolCall } from 'rlenv'
import type { EntityRow } from '../database/rows.ts'
import type { ActPlan, EntityPlan, FieldPlan } from '../plan/application-plan.ts'
import type { Goal, GoalKind } from './goal.ts'
import { type Reference, refer } from './reference.ts'
import type { Wording } from './wording.ts'
import { pickOrNull, type ToolOf, type Workbench } from './workbench.ts'

type ActKind = ActPlan['blueprint']['kind']

interface Chosen<Kind extends ActKind> {
  readonly tool: ToolOf<'act'>
  readonly entity: EntityPlan
  readonly act: ActPlan
  readonly blueprint: Extract<ActPlan['blueprint'], { readonly kind: Kind }>
}

function chooseAct<Kind extends ActKind>(bench: Workbench, wording: Wording, kind: Kind): Chosen<Kind> | null {
  const fitting = bench.withRole('act').flatMap((tool): Chosen<Kind>[] => {
    const entity = bench.entity(tool.entity)
    const act = entity.acts[tool.role.act]
    if (act === undefined || act.blueprint.kind !== kind) return []
    return [{ tool, entity, act, blueprint: act.blueprint as Chosen<Kind>['blueprint'] }]
  })
  return pickOrNull(wording.random, fitting)
}

/** The parts of a goal that follow from its references and its last call. */
export function goalOf(
  kind: GoalKind,
  text: string,
  references: readonly Reference[],
  call: ToolCall,
  written: string,
): Goal {
  return {
    kind,
    text,
    question: false,
    calls: [...references.flatMap((reference) => reference.calls), call],
    answer: null,
    depth: Math.max(0, ...references.map((reference) => reference.depth)),
    writes: [written],
    reads: references.flatMap((reference) => reference.readsValuesOf),
  }
}

/** "Cancel the order of …". */
export function statusGoal(bench: Workbench, wording: Wording): Goal | null {
  const chosen = chooseAct(bench, wording, 'status')
  if (chosen === null) return null
  const { entity, blueprint, tool } = chosen
  const rows = bench.rowsOf(entity.key).filter((row) => row.state !== null && blueprint.from.includes(row.state))
  const reference = referToAny(bench, wording, entity, rows)
  if (reference === null) return null
  const call = callOf(tool, [reference.row.id])
  const text = `${wording.act(entity, chosen.act).words} ${reference.text}`
  return goalOf('status', text, [reference], call, entity.key)
}

/** "Add 20 to the balance of …". */
export function adjustGoal(bench: Workbench, wording: Wording): Goal | null {
  const chosen = chooseAct(bench, wording, 'adjust')
  if (chosen === null) return null
  const { entity, blueprint, tool } = chosen
  const field = entity.fields.find((candidate) => candidate.key === blueprint.field)
  const reference = referToAny(bench, wording, entity, bench.rowsOf(entity.key))
  if (field === undefined || reference === null) return null
  const amount = someAmount(wording, field, Number(reference.row.cells[field.column]))
  if (amount === null) return null
  const form = wording.act(entity, chosen.act)
  const what = possessed(wording, reference, wording.field(field))
  const text =
    form.preposition === 'by'
      ? `${form.words} ${what} by ${amount}`
      : `${form.words} ${amount} ${form.preposition} ${what}`
  return goalOf('adjust', text, [reference], callOf(tool, [reference.row.id, amount]), entity.key)
}

/** "Assign the ticket … to …". */
export function assignGoal(bench: Workbench, wording: Wording): Goal | null {
  const chosen = chooseAct(bench, wording, 'assign')
  if (chosen === null) return null
  const { entity, blueprint, tool } = chosen
  const reference = referToAny(bench, wording, entity, bench.rowsOf(entity.key))
  if (reference === null) return null
  const current = reference.row.refs[blueprint.ref]
  const others = bench.rowsOf(blueprint.ref).filter((row) => row !== current)
  const target = referToAny(bench, wording, bench.entity(blueprint.ref), others, 1)
  if (target === null) return null
  const form = wording.act(entity, chosen.act)
  const text = `${form.words} ${reference.text} ${form.preposition} ${target.text}`
  return goalOf('assign', text, [reference, target], callOf(tool, [reference.row.id, target.row.id]), entity.key)
}

/** "Transfer 40 points from … to …". */
export function transferGoal(bench: Workbench, wording: Wording): Goal | null {
  const chosen = chooseAct(bench, wording, 'transfer')
  if (chosen === null) return null
  const { entity, blueprint, tool } = chosen
  const field = entity.fields.find((candidate) => candidate.key === blueprint.field)
  const from = referToAny(bench, wording, entity, bench.rowsOf(entity.key))
  if (field === undefined || from === null) return null
  const to = referToAny(
    bench,
    wording,
    entity,
    bench.rowsOf(entity.key).filter((row) => row !== from.row),
  )
  const amount = someAmount(wording, field, Number(from.row.cells[field.column]))
  if (to === null || amount === null) return null
  const unit = field.type.kind === 'money' && wording.random.chance(0.5) ? '' : ` ${unitOf(wording, field)}`
  const text = `${wording.act(entity, chosen.act).words} ${amount}${unit} from ${from.text} to ${to.text}`
  return goalOf('transfer', text, [from, to], callOf(tool, [from.row.id, to.row.id, amount]), entity.key)
}

function unitOf(wording: Wording, field: FieldPlan): string {
  const words = wording.field(field)
  return words.endsWith('s') ? words : `of ${words}`
}

/** "Delete the review …". */
export function deleteGoal(bench: Workbench, wording: Wording): Goal | null {
  const tool = pickOrNull(wording.random, bench.withRole('delete'))
  if (tool === null) return null
  const entity = bench.entity(tool.entity)
  const reference = referToAny(bench, wording, entity, bench.rowsOf(entity.key))
  if (reference === null) return null
  const call = { tool: tool.tool.name, arguments: { [entity.idParameter]: reference.row.id } }
  const text = `${wording.generic('remove', bench.plan.style.generic.remove)} ${reference.text}`
  return goalOf('delete', text, [reference], call, entity.key)
}

function callOf(tool: ToolOf<'act'>, values: readonly (string | number)[]): ToolCall {
  const entries = tool.role.arguments.map((argument, index) => [argument, values[index] ?? null] as const)
  return { tool: tool.tool.name, arguments: Object.fromEntries(entries) }
}

/** A reference to some row that has one, out of a few tries. */
export function referToAny(
  bench: Workbench,
  wording: Wording,
  entity: EntityPlan,
  rows: readonly EntityRow[],
  depth?: number,
): Reference | null {
  for (let attempt = 0; attempt < 4 && rows.length > 0; attempt++) {
    const reference = refer(bench, wording, entity.key, wording.random.pick(rows), depth)
    if (reference !== null) return reference
  }
  return null
}

/** A round amount that is at most what is there; null when there is too little. */
function someAmount(wording: Wording, field: FieldPlan, available: number): number | null {
  const most = Math.floor(Math.min(available * 0.6, 240))
  if (most < 3) return null
  const amount = 2 + wording.random.int(most - 1)
  return field.type.kind === 'money' && wording.random.chance(0.4) ? amount - 0.5 : amount
}

/** "the balance of X" or "X's balance". */
export function possessed(wording: Wording, reference: Reference, what: string): string {
  return reference.bareName && wording.random.chance(0.5)
    ? `${reference.text}'s ${what}`
    : `the ${what} of ${reference.text}`
}

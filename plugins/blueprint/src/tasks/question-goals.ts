import type { EntityRow } from '../database/rows.ts'
import type { EntityPlan } from '../plan/application-plan.ts'
import { storedForm } from '../plan/naming.ts'
import type { Goal } from './goal.ts'
import { inFullView, type Reference, refer } from './reference.ts'
import type { Wording } from './wording.ts'
import { pickOrNull, type Workbench } from './workbench.ts'
import { possessed, referToAny } from './write-goals.ts'

/** "What is the phone of …?", or which row another one belongs to. */
export function askGoal(bench: Workbench, wording: Wording): Goal | null {
  const { random } = wording
  const entity = random.pick(bench.plan.entities)
  const found = referToAny(bench, wording, entity, bench.rowsOf(entity.key))
  const reference = found === null ? null : inFullView(bench, found)
  if (reference === null) return null
  if (entity.refs.length > 0 && random.chance(0.3)) return askParent(bench, wording, reference)
  // few closed sets: their values can be guessed
  const fields = entity.fields.filter((field) => field.type.kind !== 'choice' || random.chance(0.2))
  const field = pickOrNull(random, fields)
  const answer = field === null ? undefined : reference.row.cells[field.column]
  if (field === null || answer === undefined) return null
  // a value that the text already tells would be no question
  if (reference.text.includes(String(answer))) return null
  const what = possessed(wording, reference, wording.field(field))
  return question('ask', askText(wording, what), reference, answer)
}

function askText(wording: Wording, what: string): string {
  return wording.random.pick([`what is ${what}?`, `tell me ${what}.`, `find out ${what}.`, `I need to know ${what}.`])
}

function askParent(bench: Workbench, wording: Wording, reference: Reference): Goal | null {
  const ref = pickOrNull(wording.random, reference.entity.refs)
  const target = ref === null ? undefined : reference.row.refs[ref.target]
  const tool = ref === null ? undefined : bench.tool(ref.target, 'get')
  if (ref === null || target === undefined || target.label === null || tool === undefined) return null
  if (reference.text.includes(target.label)) return null
  const parent = bench.entity(ref.target)
  const call = { tool: tool.tool.name, arguments: { [parent.idParameter]: target.id } }
  const noun = wording.noun(parent)
  const text = wording.random.pick([
    `which ${noun} does ${reference.text} belong to?`,
    `tell me the ${noun} of ${reference.text}.`,
  ])
  return question('ask', text, { ...reference, calls: [...reference.calls, call] }, target.label)
}

/**
 * "How many open orders does … have?". The number is drawn first and then a row that has it, so that no number is a
 * good guess.
 */
export function countGoal(bench: Workbench, wording: Wording): Goal | null {
  const { random } = wording
  const tool = pickOrNull(random, bench.withRole('children'))
  if (tool === null) return null
  const entity = bench.entity(tool.entity)
  const parent = bench.entity(tool.role.parent)
  const state = tool.role.status !== null && random.chance(0.5) ? random.pick(entity.blueprint.states) : null
  const byCount = new Map<number, EntityRow[]>()
  for (const row of bench.rowsOf(parent.key)) {
    const children = bench.childrenOf(entity.key, parent.key, row)
    const count = children.filter((child) => state === null || child.state === state).length
    byCount.set(count, [...(byCount.get(count) ?? []), row])
  }
  const count = pickOrNull(
    random,
    [...byCount.keys()].sort((left, right) => left - right),
  )
  const row = count === null ? null : pickOrNull(random, byCount.get(count) ?? [])
  const reference = row === null ? null : refer(bench, wording, parent.key, row, 1)
  if (reference === null || count === null) return null
  const filter = state !== null && tool.role.status !== null ? { [tool.role.status]: stored(entity, state) } : {}
  const call = { tool: tool.tool.name, arguments: { [tool.role.argument]: reference.row.id, ...filter } }
  const nouns = wording.nouns(entity)
  const which = state === null ? nouns : stateNouns(wording.state(entity, state), nouns)
  const text = `how many ${which} ${wording.random.pick([`does ${reference.text} have?`, `are there for ${reference.text}?`])}`
  const asked = question('count', text, { ...reference, calls: [...reference.calls, call] }, count)
  return { ...asked, reads: [...asked.reads, entity.key] }
}

function stored(entity: EntityPlan, state: NonNullable<EntityRow['state']>): string {
  return entity.status?.stored[state] ?? storedForm(state)
}

function stateNouns(state: string, nouns: string): string {
  return state.includes(' ') ? `${nouns} that are ${state}` : `${state} ${nouns}`
}

function question(kind: 'ask' | 'count', text: string, reference: Reference, answer: string | number): Goal {
  return {
    kind,
    text,
    question: true,
    calls: reference.calls,
    answer,
    depth: reference.depth,
    writes: [],
    reads: [...reference.readsValuesOf, reference.entity.key],
  }
}

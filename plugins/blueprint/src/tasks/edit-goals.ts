import type { Json, JsonObject } from 'rlenv'
import { FieldValues } from '../database/field-values.ts'
import { freshLabel } from '../database/rows.ts'
import { verbDictionary } from '../grammar/verbs.ts'
import type { EntityPlan, FieldPlan } from '../plan/application-plan.ts'
import { article } from '../plan/naming.ts'
import { sharesStem } from '../plan/plan-entity.ts'
import { givenFields } from '../tools/edit-tools.ts'
import type { Goal } from './goal.ts'
import type { Reference } from './reference.ts'
import type { Wording } from './wording.ts'
import { pickOrNull, type Workbench } from './workbench.ts'
import { goalOf, possessed, referToAny } from './write-goals.ts'

/** "Change the phone of … to …". */
export function updateGoal(bench: Workbench, wording: Wording): Goal | null {
  const { random } = wording
  const tool = pickOrNull(random, [...bench.withRole('update'), ...bench.withRole('update-field')])
  const field = tool === null ? null : pickOrNull(random, tool.role.fields)
  if (tool === null || field === null) return null
  const entity = bench.entity(tool.entity)
  const reference = referToAny(bench, wording, entity, bench.rowsOf(entity.key))
  if (reference === null) return null
  const value = new FieldValues(random, bench.plan.clock).draw(field, reference.row.label)
  if (value === reference.row.cells[field.column]) return null
  const id = { [entity.idParameter]: reference.row.id }
  const change: JsonObject = tool.role.kind === 'update' ? { [field.column]: value } : { field: field.column, value }
  const text = updateText(bench, wording, reference, field, wording.value(field, value))
  return goalOf('update', text, [reference], { tool: tool.tool.name, arguments: { ...id, ...change } }, entity.key)
}

function updateText(bench: Workbench, wording: Wording, reference: Reference, field: FieldPlan, value: string): string {
  const { generic } = bench.plan.style
  const words = wording.field(field)
  switch (wording.random.int(4)) {
    case 0:
      return `${wording.generic('set', generic.set)} ${possessed(wording, reference, words)} to ${value}`
    case 1:
      return `${wording.generic('update', generic.update)} ${possessed(wording, reference, words)} to ${value}`
    case 2:
      return `make ${value} the new ${words} of ${reference.text}`
    default:
      return `see to it that ${possessed(wording, reference, words)} is ${value}`
  }
}

/** "Book a visit for … on …". */
export function createGoal(bench: Workbench, wording: Wording): Goal | null {
  const { random } = wording
  const tool = pickOrNull(random, bench.withRole('create'))
  const entity = tool === null ? null : bench.entity(tool.entity)
  if (tool === null || entity === null || entity.create === null) return null
  const references: Reference[] = []
  const args: Record<string, Json> = {}
  for (const ref of entity.refs) {
    const reference = referToAny(bench, wording, bench.entity(ref.target), bench.rowsOf(ref.target), 1)
    if (reference === null) return null
    references.push(reference)
    args[ref.column] = reference.row.id
  }
  const name = newName(bench, wording, entity)
  if (entity.label !== null && name !== null) args[entity.label.column] = name
  const values = new FieldValues(random, bench.plan.clock)
  const given = givenFields(entity.fields).map((field) => ({ field, value: values.draw(field, name) }))
  for (const { field, value } of given) args[field.column] = value
  const words = { head: createHead(wording, entity, name), for: createFor(wording, references) }
  const details = createDetails(wording, given)
  const text = [words.head, words.for, details].filter((part) => part !== '').join(' ')
  return goalOf('create', text, references, { tool: tool.tool.name, arguments: args }, entity.key)
}

function newName(bench: Workbench, wording: Wording, entity: EntityPlan): string | null {
  if (entity.label === null || entity.label.kind === 'code') return null
  const taken = new Set(bench.plan.entities.flatMap((other) => bench.rowsOf(other.key).map((row) => row.label ?? '')))
  return freshLabel(entity.label.kind, entity.prefix, taken, wording.random)
}

function createHead(wording: Wording, entity: EntityPlan, name: string | null): string {
  if (entity.create === null) return ''
  const forms = verbDictionary.create[entity.create.verb]
  const verb = wording.verb(`${entity.key}:create`, entity.create.form, forms).words
  const noun = wording.noun(entity)
  const fresh = wording.random.chance(0.5) && !sharesStem(verb, 'new') ? 'new ' : ''
  const called = name === null ? '' : ` ${wording.random.pick(['called', 'named'])} ${quotedSometimes(wording, name)}`
  return `${verb} ${article(fresh || noun)} ${fresh}${noun}${called}`
}

function quotedSometimes(wording: Wording, name: string): string {
  return wording.random.chance(0.4) ? `"${name}"` : name
}

/** The owner comes after "for", further parents after "with". */
function createFor(wording: Wording, references: readonly Reference[]): string {
  const [owner, ...others] = references
  if (owner === undefined) return ''
  const rest = others.map((other) => `${wording.random.pick(['with', 'and'])} ${other.text}`)
  return [`for ${owner.text}`, ...rest].join(' ')
}

function createDetails(
  wording: Wording,
  given: readonly { readonly field: FieldPlan; readonly value: string | number }[],
): string {
  const dayAndTime: string[] = []
  const rest: string[] = []
  for (const { field, value } of given) {
    const text = wording.value(field, value)
    if (field.key === 'date') dayAndTime.push(`on ${text}`)
    else if (field.key === 'time') dayAndTime.push(`at ${text}`)
    else rest.push(`${wording.field(field)} ${text}`)
  }
  const list = rest.length < 2 ? rest.join('') : `${rest.slice(0, -1).join(', ')} and ${rest.at(-1)}`
  return [...dayAndTime, list === '' ? '' : `with ${list}`].filter((part) => part !== '').join(' ')
}

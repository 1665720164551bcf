import type { DatabaseDraft } from 'rlenv'
import { type ApplicationPlan, columnsOf, type EntityPlan, entityOf, type FieldPlan } from '../plan/application-plan.ts'
import { quoted, sqlText } from '../plan/naming.ts'
import type { EntityRow, RowsByEntity } from './rows.ts'

/** DDL and rows of an environment as text, and the columns that comparisons must treat with care. */
export function databaseDraft(plan: ApplicationPlan, rows: RowsByEntity): Omit<DatabaseDraft, 'annotations'> {
  return {
    schema: plan.entities.map((entity) => tableSql(plan, entity)).join('\n\n'),
    data: plan.entities.map((entity) => insertSql(entity, rows[entity.key] ?? [])).join('\n\n'),
    clock: plan.clock,
  }
}

/** For the verifier: money columns with their decimals, and columns that the database fills in by itself. */
export function comparisonNotes(plan: ApplicationPlan): { rounding: Record<string, number>; volatile: string[] } {
  const rounding: Record<string, number> = {}
  const volatile: string[] = []
  for (const entity of plan.entities) {
    for (const field of entity.fields) {
      if (field.type.kind === 'money') rounding[`${entity.table}.${field.column}`] = 2
    }
    if (entity.label?.kind === 'code') volatile.push(`${entity.table}.${entity.label.column}`)
  }
  return { rounding, volatile }
}

function tableSql(plan: ApplicationPlan, entity: EntityPlan): string {
  const idType = plan.style.ids === 'integer' ? 'INTEGER' : 'TEXT'
  const lines = [`${quoted(entity.idColumn)} ${idType} PRIMARY KEY NOT NULL`]
  if (entity.label !== null) lines.push(`${quoted(entity.label.column)} TEXT NOT NULL`)
  for (const ref of entity.refs) {
    const target = entityOf(plan, ref.target)
    lines.push(
      `${quoted(ref.column)} ${idType} NOT NULL REFERENCES ${quoted(target.table)} (${quoted(target.idColumn)})`,
    )
  }
  if (entity.status !== null) {
    lines.push(closedColumn(entity.status.column, Object.values(entity.status.stored) as string[]))
  }
  for (const field of entity.fields) lines.push(fieldColumn(field))
  const indexes = entity.refs.map(
    (ref) =>
      `CREATE INDEX ${quoted(`${entity.table}_${ref.column}`)} ON ${quoted(entity.table)} (${quoted(ref.column)});`,
  )
  return [`CREATE TABLE ${quoted(entity.table)} (\n  ${lines.join(',\n  ')}\n) STRICT;`, ...indexes].join('\n')
}

function fieldColumn(field: FieldPlan): string {
  switch (field.type.kind) {
    case 'money':
      return `${quoted(field.column)} REAL NOT NULL`
    case 'integer':
      return `${quoted(field.column)} INTEGER NOT NULL`
    case 'choice':
      return closedColumn(field.column, field.values)
    default:
      return `${quoted(field.column)} TEXT NOT NULL`
  }
}

function closedColumn(column: string, values: readonly string[]): string {
  return `${quoted(column)} TEXT NOT NULL CHECK (${quoted(column)} IN (${values.map(sqlText).join(', ')}))`
}

function insertSql(entity: EntityPlan, rows: readonly EntityRow[]): string {
  const columns = columnsOf(entity)
  const tuples = rows.map((row) => `(${columns.map((column) => literal(row.cells[column])).join(', ')})`)
  return `INSERT INTO ${quoted(entity.table)} (${columns.map(quoted).join(', ')}) VALUES\n${tuples.join(',\n')};`
}

function literal(value: string | number | undefined): string {
  return typeof value === 'number' ? String(value) : sqlText(value ?? '')
}

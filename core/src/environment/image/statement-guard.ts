import { searchedLiteralFaults } from '../sqlite/searched-operands.ts'
import type { SqlStatement, SqlToken } from '../sqlite/sql-text.ts'
import { nameFaults } from '../sqlite/statement-text.ts'
import { generatedColumnFault } from './generated-columns.ts'

const created = new Set(['TABLE', 'INDEX', 'VIEW', 'TRIGGER', 'VIRTUAL'])
const dataStatements = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE'])

/** The first keywords of a statement, for messages: "ATTACH DATABASE". */
function headOf(tokens: readonly SqlToken[]): string {
  return tokens
    .slice(0, 2)
    .map((token) => token.text)
    .join(' ')
}

function virtualTableFault(tokens: readonly SqlToken[]): string | null {
  const using = tokens.findIndex((token) => token.keyword === 'USING')
  const module = tokens[using + 1]?.keyword ?? ''
  if (module === 'FTS5') return null
  const instead = module === 'RTREE' ? '; store bounds in columns of a table, with an index on them' : ''
  return `a virtual table of module ${module.toLowerCase() || '(none)'} is not allowed, only fts5${instead}`
}

/** Why a table, index or view may not be defined so; null when it may. Found before SQLite sees it. */
export function definitionFault(tokens: readonly SqlToken[]): string | null {
  const names = tokens.filter(({ kind }) => kind === 'quoted').flatMap(nameFaults)
  const faults = [...names, ...searchedLiteralFaults(tokens)]
  return faults.length > 0 ? faults.join('; ') : generatedColumnFault(tokens)
}

/** Why a statement may not be part of a schema; null when it may. */
export function schemaStatementFault({ tokens }: SqlStatement): string | null {
  const words = tokens.filter((token) => token.kind !== 'symbol').map((token) => token.keyword)
  if (words[0] !== 'CREATE') return `${headOf(tokens)} is not allowed in a schema, only CREATE`
  const noun = words.find((word, index) => index > 0 && word !== 'UNIQUE') ?? ''
  if (!created.has(noun)) return `${headOf(tokens)} is not allowed in a schema`
  if (noun === 'VIRTUAL') return virtualTableFault(tokens)
  const asSelect = words.findIndex(
    (word, index) => word === 'AS' && (words[index + 1] === 'SELECT' || words[index + 1] === 'WITH'),
  )
  if (noun === 'TABLE' && asSelect > 0) return 'CREATE TABLE AS SELECT is not allowed; declare the columns'
  return definitionFault(tokens)
}

/** Why a statement may not be part of a database's rows; null when it may. */
export function dataStatementFault({ tokens }: SqlStatement): string | null {
  const first = tokens[0]?.keyword ?? ''
  return dataStatements.has(first)
    ? null
    : `${headOf(tokens)} is not allowed among the rows, only INSERT, UPDATE and DELETE`
}

import { type Environment, RandomStream, type SqlStep, type Tool } from 'rlenv'
import { benchEnvironment } from './fixture.ts'

const sweep = (index: number): Tool => {
  const sql: SqlStep = { kind: 'run', sql: `UPDATE entity_${index} SET price = price + 1 WHERE parent_id = @id` }
  return {
    name: `sweep_${index}`,
    summary: 'sweep',
    description: 'Raises the price of all children of a row.',
    inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    outputSchema: {},
    effect: 'write',
    tables: [],
    errors: [],
    implementation: { kind: 'sql', steps: [sql] },
  }
}

/** The benchmark's environment with more rows, and with writes that do not say which rows they reach. */
export function grown(rowsPerTable: number): Environment {
  const environment = benchEnvironment()
  const random = RandomStream.of(3, 'grown', rowsPerTable)
  const more = Array.from({ length: 15 }, (_, index) => {
    const rows = Array.from({ length: rowsPerTable }, (_row, row) => {
      const columns = `'a further row ${row}', 'open', ${random.int(1000)}, 1.25, '2026-01-01 10:00:00', ${1 + random.int(24)}`
      return `(${row + 25}, ${columns})`
    })
    return `INSERT INTO entity_${index + 1} VALUES ${rows.join(', ')};`
  })
  const data = `${environment.database.data}\n${more.join('\n')}`
  return { ...environment, database: { ...environment.database, data }, tools: [...environment.tools, sweep(4)] }
}

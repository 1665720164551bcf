import type { Tool } from '../../src/vocabulary/tool.ts'

/** A tool of the tiny library that is a script. */
export const countBooks: Tool = {
  name: 'count_books',
  summary: 'Count the books',
  description: 'How many titles the library has.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'integer' },
  effect: 'read',
  tables: ['books'],
  errors: [],
  implementation: { kind: 'script', file: 'tools/count_books.ts' },
}

/** Its text. */
export const countBooksSource =
  "export default (db: { get(sql: string): { n: number } }) => db.get('SELECT count(*) AS n FROM books').n"

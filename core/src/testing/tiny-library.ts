import type { JsonObject, JsonSchema } from '../vocabulary/json.ts'
import type { SqlStep, Tool, ToolErrorTemplate } from '../vocabulary/tool.ts'

/** The tables of the tiny library: who may borrow, what there is, and who has what until when. */
export const librarySchema = `
CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  tier TEXT NOT NULL CHECK (tier IN ('standard', 'plus'))
) STRICT;
CREATE TABLE books (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL UNIQUE,
  shelf TEXT NOT NULL,
  copies INTEGER NOT NULL CHECK (copies >= 0)
) STRICT;
CREATE TABLE loans (
  id INTEGER PRIMARY KEY,
  member_id INTEGER NOT NULL REFERENCES members (id),
  book_id INTEGER NOT NULL REFERENCES books (id),
  status TEXT NOT NULL CHECK (status IN ('active', 'returned')),
  due_on TEXT NOT NULL
) STRICT;
CREATE INDEX loans_by_member ON loans (member_id);
CREATE INDEX loans_by_book ON loans (book_id);
`.trimStart()

const id = (description: string): JsonSchema => ({ type: 'integer', description })

function inputs(properties: JsonObject, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}

const memberRow: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, tier: { type: 'string' } },
  required: ['id', 'name', 'tier'],
}
const bookRow: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    shelf: { type: 'string' },
    copies: { type: 'integer' },
  },
  required: ['id', 'title', 'shelf', 'copies'],
}
const loanRow: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    member_id: { type: 'integer' },
    book_id: { type: 'integer' },
    status: { type: 'string' },
    due_on: { type: 'string' },
  },
  required: ['id', 'member_id', 'book_id', 'status', 'due_on'],
}

const failures = {
  member: { code: 'member_not_found', message: 'There is no such member.' },
  book: { code: 'book_not_found', message: 'There is no such book.' },
  copies: { code: 'no_copies_left', message: 'All copies of this book are lent.' },
  loan: { code: 'loan_not_active', message: 'There is no active loan with this id.' },
  tier: { code: 'tier_unchanged', message: 'The member has this tier already.' },
} as const satisfies Record<string, ToolErrorTemplate>

const activeLoan: SqlStep = {
  kind: 'row',
  sql: "SELECT id, book_id FROM loans WHERE id = @loan_id AND status = 'active'",
  error: failures.loan,
  as: 'loan',
}
const theLoan: SqlStep = { kind: 'row', sql: 'SELECT * FROM loans WHERE id = @loan_id', error: failures.loan }
const theMember: SqlStep = { kind: 'row', sql: 'SELECT * FROM members WHERE id = @member_id', error: failures.member }

interface ToolParts {
  readonly name: string
  readonly summary: string
  readonly input: JsonSchema
  readonly output: JsonSchema
  readonly tables: readonly string[]
  readonly errors?: readonly ToolErrorTemplate[]
  readonly steps: readonly SqlStep[]
}

function tool(parts: ToolParts): Tool {
  return {
    name: parts.name,
    summary: parts.summary,
    description: `${parts.summary}.`,
    inputSchema: parts.input,
    outputSchema: parts.output,
    effect: parts.steps.some((step) => step.kind === 'run') ? 'write' : 'read',
    tables: parts.tables,
    errors: parts.errors ?? [],
    implementation: { kind: 'sql', steps: parts.steps },
  }
}

/** Four tools that read and four that write. */
export const libraryTools: readonly Tool[] = [
  tool({
    name: 'find_member',
    summary: 'Find a member by full name',
    input: inputs({ name: { type: 'string', description: 'Full name' } }),
    output: memberRow,
    tables: ['members'],
    errors: [failures.member],
    steps: [{ kind: 'row', sql: 'SELECT * FROM members WHERE name = @name', error: failures.member }],
  }),
  tool({
    name: 'search_books',
    summary: 'Search books by a part of their title',
    input: inputs({ query: { type: 'string', description: 'Part of the title' } }),
    output: { type: 'array', items: bookRow },
    tables: ['books'],
    steps: [
      {
        kind: 'rows',
        sql: "SELECT * FROM books WHERE title LIKE '%' || @query || '%' ORDER BY id",
        limit: 20,
      },
    ],
  }),
  tool({
    name: 'get_book',
    summary: 'Look up one book',
    input: inputs({ book_id: id('Id of the book') }),
    output: bookRow,
    tables: ['books'],
    errors: [failures.book],
    steps: [{ kind: 'row', sql: 'SELECT * FROM books WHERE id = @book_id', error: failures.book }],
  }),
  tool({
    name: 'list_loans',
    summary: "List a member's loans",
    input: inputs({ member_id: id('Id of the member'), status: { type: 'string', enum: ['active', 'returned'] } }, [
      'status',
    ]),
    output: { type: 'array', items: loanRow },
    tables: ['members', 'loans'],
    errors: [failures.member],
    steps: [
      theMember,
      {
        kind: 'rows',
        sql: 'SELECT * FROM loans WHERE member_id = @member_id AND (@status IS NULL OR status = @status) ORDER BY id',
        limit: 50,
      },
    ],
  }),
  tool({
    name: 'lend_book',
    summary: 'Lend a book to a member for two weeks',
    input: inputs({ member_id: id('Id of the member'), book_id: id('Id of the book') }),
    output: loanRow,
    tables: ['members', 'books', 'loans'],
    errors: [failures.member, failures.book, failures.copies],
    steps: [
      theMember,
      { kind: 'row', sql: 'SELECT id FROM books WHERE id = @book_id', error: failures.book },
      {
        kind: 'run',
        sql: 'UPDATE books SET copies = copies - 1 WHERE id = @book_id AND copies > 0',
        error: failures.copies,
      },
      {
        kind: 'run',
        sql: "INSERT INTO loans (member_id, book_id, status, due_on) VALUES (@member_id, @book_id, 'active', date('now', '+14 days'))",
      },
      { kind: 'row', sql: 'SELECT * FROM loans WHERE id = @rowid', error: failures.loan },
    ],
  }),
  tool({
    name: 'return_book',
    summary: 'Book in a returned loan',
    input: inputs({ loan_id: id('Id of the loan') }),
    output: loanRow,
    tables: ['books', 'loans'],
    errors: [failures.loan],
    steps: [
      activeLoan,
      { kind: 'run', sql: 'UPDATE books SET copies = copies + 1 WHERE id = @loan__book_id' },
      { kind: 'run', sql: "UPDATE loans SET status = 'returned' WHERE id = @loan_id" },
      theLoan,
    ],
  }),
  tool({
    name: 'extend_loan',
    summary: 'Give an active loan more days',
    input: inputs({ loan_id: id('Id of the loan'), days: { type: 'integer', minimum: 1, maximum: 28 } }),
    output: loanRow,
    tables: ['loans'],
    errors: [failures.loan],
    steps: [
      activeLoan,
      { kind: 'run', sql: "UPDATE loans SET due_on = date(due_on, '+' || @days || ' days') WHERE id = @loan_id" },
      theLoan,
    ],
  }),
  tool({
    name: 'set_member_tier',
    summary: "Change a member's tier",
    input: inputs({ member_id: id('Id of the member'), tier: { type: 'string', enum: ['standard', 'plus'] } }),
    output: memberRow,
    tables: ['members'],
    errors: [failures.member, failures.tier],
    steps: [
      theMember,
      {
        kind: 'run',
        sql: 'UPDATE members SET tier = @tier WHERE id = @member_id AND tier <> @tier',
        error: failures.tier,
      },
      theMember,
    ],
  }),
]

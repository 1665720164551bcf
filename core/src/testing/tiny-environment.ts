import { RandomStream } from '../determinism/random-stream.ts'
import type { DatabaseDraft, Row } from '../vocabulary/database.ts'
import type { Environment } from '../vocabulary/environment.ts'
import type { Scenario } from '../vocabulary/scenario.ts'
import type { RowChange, StateDiff } from '../vocabulary/state-diff.ts'
import type { Task, ToolCall } from '../vocabulary/task.ts'
import { librarySchema, libraryTools } from './tiny-library.ts'
import { tinyVerifierOf } from './tiny-verifier.ts'

const names = ['Ana Silva', 'Bo Lind', 'Chen Wei', 'Dara Okafor', 'Emil Novak', 'Fay Moreau', 'Gus Hart', 'Hana Sato']
const titles = [
  'The Salt Road',
  'Winter Bees',
  'A Field of Clocks',
  'Glass Harbour',
  'The Quiet Engine',
  'Notes on Rain',
  'Paper Mountains',
  'The Ninth Lantern',
  'Small Gods of Tin',
  'Riverless',
]

interface Member {
  readonly id: number
  readonly name: string
  readonly tier: 'standard' | 'plus'
}
interface Book {
  readonly id: number
  readonly title: string
  readonly shelf: string
  readonly copies: number
}
interface Loan {
  readonly id: number
  readonly member: Member
  readonly book: Book
  readonly dueOn: string
}

/** The rows of one tiny library: 8 members, 10 books, and one active loan for each of the first 6 members. */
interface Shelves {
  readonly members: readonly Member[]
  readonly books: readonly Book[]
  readonly loans: readonly Loan[]
}

function stock(seed: number): Shelves {
  const random = RandomStream.of(seed, 'tiny-library')
  const members = random.shuffle(names).map((name, index): Member => {
    return { id: index + 1, name, tier: index % 2 === 0 ? 'standard' : 'plus' }
  })
  const books = random.shuffle(titles).map((title, index): Book => {
    return {
      id: index + 1,
      title,
      shelf: `${random.pick(['A', 'B', 'C', 'D'])}${10 + random.int(90)}`,
      copies: 1 + random.int(4),
    }
  })
  const lent = random.shuffle(books)
  const loans = members.slice(0, 6).map((member, index): Loan => {
    return { id: index + 1, member, book: lent[index] as Book, dueOn: `2026-04-${10 + random.int(18)}` }
  })
  return { members, books, loans }
}

const text = (value: string) => `'${value.replaceAll("'", "''")}'`

/** Database of the tiny library; which rows it holds depends on the seed alone. */
export function tinyDatabase(seed = 0): DatabaseDraft {
  const { members, books, loans } = stock(seed)
  const rows = [
    ...members.map((m) => `INSERT INTO members VALUES (${m.id}, ${text(m.name)}, ${text(m.tier)});`),
    ...books.map((b) => `INSERT INTO books VALUES (${b.id}, ${text(b.title)}, ${text(b.shelf)}, ${b.copies});`),
    ...loans.map(
      (l) => `INSERT INTO loans VALUES (${l.id}, ${l.member.id}, ${l.book.id}, 'active', ${text(l.dueOn)});`,
    ),
  ]
  return { schema: librarySchema, data: `${rows.join('\n')}\n`, clock, annotations: {} }
}

/** Calls that carry a task out, and the rows that they change. */
interface Solution {
  readonly calls: readonly ToolCall[]
  readonly diff: StateDiff
}

/** A task with the rows that a right rollout changes. */
interface Errand {
  readonly task: Task
  readonly diff: StateDiff
}

/** Where every instance's clock stands still, and what "+14 days" makes of it. */
const clock = '2026-04-01T09:00:00.000Z'
const dueInTwoWeeks = '2026-04-15'

function update(table: string, before: Row, changed: Row): RowChange {
  return { kind: 'update', table, key: { id: before.id ?? null }, before, after: { ...before, ...changed } }
}

const bookRow = (book: Book): Row => ({ ...book })
const memberRow = (member: Member): Row => ({ ...member })
const loanRow = (loan: Loan): Row => {
  return { id: loan.id, member_id: loan.member.id, book_id: loan.book.id, status: 'active', due_on: loan.dueOn }
}
const find = (member: Member): ToolCall => ({ tool: 'find_member', arguments: { name: member.name } })
const search = (book: Book): ToolCall => ({ tool: 'search_books', arguments: { query: book.title } })

function lending(member: Member, book: Book, loanId: number): Solution {
  const arguments_ = { member_id: member.id, book_id: book.id }
  const after: Row = { id: loanId, ...arguments_, status: 'active', due_on: dueInTwoWeeks }
  return {
    calls: [find(member), search(book), { tool: 'lend_book', arguments: arguments_ }],
    diff: [
      update('books', bookRow(book), { copies: book.copies - 1 }),
      { kind: 'insert', table: 'loans', key: { id: loanId }, after },
    ],
  }
}

function returning({ id, member, book, dueOn }: Loan): Solution {
  return {
    calls: [
      find(member),
      search(book),
      { tool: 'list_loans', arguments: { member_id: member.id, status: 'active' } },
      { tool: 'return_book', arguments: { loan_id: id } },
    ],
    diff: [
      update('books', bookRow(book), { copies: book.copies + 1 }),
      update('loans', loanRow({ id, member, book, dueOn }), { status: 'returned' }),
    ],
  }
}

function errands(environmentId: string, seed: number): readonly Errand[] {
  const { members, books, loans } = stock(seed)
  const [borrower, promoted] = [members[7], members[2]] as [Member, Member]
  const [wanted, asked] = [books[0], books[5]] as [Book, Book]
  const back = loans[1] as Loan
  const errand = (
    local: string,
    instruction: string,
    parts: Solution & { readonly kind: string; readonly difficulty: number; readonly answer?: string },
  ): Errand => {
    const { kind, difficulty, calls, diff, answer = null } = parts
    const gold = { calls, answer }
    return {
      task: { id: `${environmentId}/${local}`, environmentId, instruction, kind, difficulty, gold, guidelines: [] },
      diff,
    }
  }
  return [
    errand('lend', `${borrower.name} would like to borrow "${wanted.title}".`, {
      kind: 'create',
      difficulty: 0.5,
      ...lending(borrower, wanted, loans.length + 1),
    }),
    errand('return', `${back.member.name} brings back "${back.book.title}"; please book it in.`, {
      kind: 'update',
      difficulty: 0.6,
      ...returning(back),
    }),
    errand('promote', `Make ${promoted.name} a plus member.`, {
      kind: 'update',
      difficulty: 0.3,
      calls: [find(promoted), { tool: 'set_member_tier', arguments: { member_id: promoted.id, tier: 'plus' } }],
      diff: [update('members', memberRow(promoted), { tier: 'plus' })],
    }),
    errand('shelf', `On which shelf does "${asked.title}" stand?`, {
      kind: 'question',
      difficulty: 0.1,
      calls: [search(asked)],
      diff: [],
      answer: asked.shelf,
    }),
  ]
}

/** Four tasks: a loan, a return, a change of tier after a look-up, and a question. Every referent has one match. */
export function tinyTasks(environmentId: string, seed = 0): readonly Task[] {
  return errands(environmentId, seed).map(({ task }) => task)
}

/** The scenario of a tiny library. */
export function tinyScenario(id = 'tiny-library'): Scenario {
  return {
    id,
    name: 'Village library',
    description: 'The desk of a small lending library: members, books, and who has which book until when.',
    taxonomy: ['community', 'library'],
    annotations: {},
  }
}

export interface TinyEnvironmentOptions {
  /** Default "tiny-library". */
  readonly id?: string
  /** Which rows it holds. Default 0. */
  readonly seed?: number
}

/** A whole small environment: a village library of 3 tables, 8 tools and 4 tasks, with verifiers. Valid by the gate. */
export function tinyEnvironment(options: TinyEnvironmentOptions = {}): Environment {
  const { id = 'tiny-library', seed = 0 } = options
  const all = errands(id, seed)
  return {
    id,
    scenario: tinyScenario(id),
    seed,
    database: tinyDatabase(seed),
    tools: libraryTools,
    tasks: all.map(({ task }) => task),
    verifiers: Object.fromEntries(all.map(({ task, diff }) => [task.id, tinyVerifierOf(diff, task.gold.answer)])),
    scripts: {},
    files: {},
    provenance: [],
  }
}

import { expect, test } from 'vitest'
import { stemHash } from '../../src/text/stem.ts'
import { parseTaskText, wordRoles } from '../../src/text/task-text.ts'

const verbs = new Set(['cancel', 'search', 'release'].map(stemHash))
const vocabulary = new Set(['cancel', 'order', 'customer', 'quantity'].map(stemHash))
const parse = (text: string) => parseTaskText(text, verbs, vocabulary)
const goals = (text: string) => parse(text).goals.map((goal) => goal.spans.map((span) => parse(text).spans[span]?.text))

test.each([
  'Cancel the order of Ann Lee and release Room A104.',
  'Cancel the order of Ann Lee and then tidy Room A104.',
  'Cancel the order of Ann Lee. Also, tidy Room A104. Thanks!',
  'Hello! Cancel the order of Ann Lee. After that, tidy Room A104. Do not change anything else.',
])('finds two goals in "%s"', (text) => {
  expect(parse(text).goals).toHaveLength(2)
  expect(goals(text)[0]).toContain('Ann Lee')
  expect(goals(text)[1]).toContain('Room A104')
})

test.each([
  'Book a visit for Ann Lee and Bo Lind.',
  'Book a visit for Ann Lee with note "late" and quantity 3.',
  'Book a visit for Ann Lee and courier "Fast Foods".',
])('finds one goal in "%s"', (text) => {
  expect(parse(text).goals).toHaveLength(1)
})

test.each([
  ['and reserve the bed Room A104'],
  ['and move 13 of balance to Bo Lind'],
  ["and mask Bo Lind's review"],
  ['and switch off Room A104'],
])('sees a verb that no tool has in "%s"', (rest) => {
  expect(parse(`Cancel the order of Ann Lee ${rest}.`).goals).toHaveLength(2)
})

test.each(['What is the date of ORD-1?', 'Tell me the date of ORD-1.', 'I need to know the date of ORD-1.'])(
  'reads "%s" as a question',
  (text) => {
    expect(parse(text).question).toBe(true)
  },
)

test('reads a request as no question', () => {
  expect(parse('Cancel ORD-1.').question).toBe(false)
})

test('notes what stands around a span', () => {
  const { spans } = parse("Move customer Ann Lee's order to Bo Lind")
  const ann = spans.find((span) => span.text === 'Ann Lee')
  expect(ann).toMatchObject({ before: stemHash('customer'), noun: stemHash('customer'), possessive: true, label: true })
  expect(ann?.after).toBe(stemHash('order'))
  expect(spans.find((span) => span.text === 'Bo Lind')?.before).toBe(stemHash('to'))
})

test('tells roles of words apart', () => {
  const [goal] = parse("Cancel Ann Lee's order of customer Bo Lind").goals
  const role = (word: string) => goal?.words.find((candidate) => candidate.stem === stemHash(word))?.role
  expect(role('cancel')).toBe(wordRoles.opening)
  expect(role('order')).toBe(wordRoles.afterPossessive)
  expect(role('customer')).toBe(wordRoles.beforeName)
})

test('takes the whole text as one goal when nothing in it looks like one', () => {
  expect(parse('please help').goals).toHaveLength(1)
  expect(parse('').goals).toHaveLength(1)
})

test('finds a number under its value as well as its text', () => {
  const { spansByKey } = parse('Pay 1,250.50 to Ann Lee')
  expect(spansByKey.get('1250.5')).toEqual(spansByKey.get('1,250.50'))
})

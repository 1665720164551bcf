import { expect, test } from 'vitest'
import { findSpans } from '../../src/text/spans.ts'

const found = (text: string) => findSpans(text).map((span) => [span.kind, span.text])

test('finds what may be the value of an argument', () => {
  expect(found('Write to ann@mail.example on 2026-03-04 at 14:30, or call +44-266-5909 about ORD-1234.')).toEqual([
    ['email', 'ann@mail.example'],
    ['date', '2026-03-04'],
    ['time', '14:30'],
    ['phone', '+44-266-5909'],
    ['code', 'ORD-1234'],
  ])
})

test('leaves out the word that opens a sentence, and the possessive', () => {
  expect(found("Cancel Ann Lee's order. Also, refund Bo Lind.")).toEqual([
    ['name', 'Ann Lee'],
    ['name', 'Bo Lind'],
  ])
  expect(found('Hello. Thanks!')).toEqual([])
})

test('does not join names across a full stop', () => {
  expect(found('Give it to Ann Lee. Bo Lind waits.')).toEqual([
    ['name', 'Ann Lee'],
    ['name', 'Bo Lind'],
  ])
})

test('reads a number after an opening verb as a number', () => {
  expect(found('Transfer 86 from Ann Lee')).toEqual([
    ['number', '86'],
    ['name', 'Ann Lee'],
  ])
  expect(findSpans('Pay $1,250.50 now')[0]?.number).toBe(1250.5)
})

test('takes quoted text whole, without its quotes', () => {
  expect(found('The note is "call before arrival" for ‘Room B12’')).toEqual([
    ['quoted', 'call before arrival'],
    ['quoted', 'Room B12'],
  ])
})

test('keeps rooms with their numbers', () => {
  expect(found('Free up Room A104')).toEqual([['name', 'Room A104']])
})

test('keeps a name whole when it opens a sentence as its subject', () => {
  expect(found('Ann Lee would like a book. Bo Lind brings one back. Cancel Bo Lind as well.')).toEqual([
    ['name', 'Ann Lee'],
    ['name', 'Bo Lind'],
    ['name', 'Bo Lind'],
  ])
})

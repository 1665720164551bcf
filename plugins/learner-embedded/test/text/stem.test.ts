import { expect, test } from 'vitest'
import { identifierWords } from '../../src/text/identifier-words.ts'
import { hashText, stem, stemHash } from '../../src/text/stem.ts'

test.each([
  ['orders', 'order'],
  ['categories', 'category'],
  ['boxes', 'box'],
  ['cancelled', 'cancel'],
  ['cancel', 'cancel'],
  ['called', 'call'],
  ['moving', 'move'],
  ['applied', 'apply'],
  ["Lee's", 'lee'],
])('gives "%s" and "%s" one stem', (left, right) => {
  expect(stem(left)).toBe(stem(right))
})

test('keeps words apart that merely begin alike', () => {
  expect(stem('status')).not.toBe(stem('state'))
  expect(stem('bus')).toBe('bus')
  expect(stem('class')).toBe('class')
})

test('hashes a word by its stem, whatever its case', () => {
  expect(stemHash('Orders')).toBe(hashText('order'))
})

test.each([
  ['list_orders_by_customer', ['list', 'orders', 'by', 'customer']],
  ['lookUpHTTPRoutes', ['look', 'up', 'http', 'routes']],
  ['order-id', ['order', 'id']],
])('cuts %s into words', (name, words) => {
  expect(identifierWords(name)).toEqual(words)
})

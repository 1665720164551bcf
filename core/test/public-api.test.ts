import * as rlenv from 'rlenv'
import * as testing from 'rlenv/testing'
import { expect, test } from 'vitest'

test('rlenv exports these values and no others', () => {
  expect(Object.keys(rlenv).sort()).toMatchSnapshot()
})

test('rlenv/testing exports these values and no others', () => {
  expect(Object.keys(testing).sort()).toMatchSnapshot()
})

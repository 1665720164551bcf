import { expect, test } from 'vitest'
import { boundedResult } from '../../src/rollout/tool-result-text.ts'

test('tells the policy what the world itself left out', () => {
  const notice = 'only the first 2 rows are shown; there are more'
  const { text, result } = boundedResult({ ok: true, content: [{ id: 1 }, { id: 2 }], notice }, 1000)
  expect(text).toBe('[{"id":1},{"id":2}]\n[only the first 2 rows are shown; there are more]')
  expect(result).toEqual({ ok: true, content: [{ id: 1 }, { id: 2 }], notice })
})

test('keeps strings as they are', () => {
  expect(boundedResult({ ok: true, content: 'plain' }, 1000).text).toBe('plain')
})

import fc from 'fast-check'
import type { Json, Row } from 'rlenv'
import { describe, expect, test } from 'vitest'
import { MessageLines } from '../src/message-lines.ts'
import { PathAlias } from '../src/path-alias.ts'
import { TextTail } from '../src/text-tail.ts'
import { ToolCatalog } from '../src/tool-catalog.ts'
import { capturedState, ToolState } from '../src/tool-state.ts'
import { Turnstile } from '../src/turnstile.ts'

/** Cuts bytes at the given places, wherever characters end. */
function chunksOf(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
}

describe('MessageLines', () => {
  test('finds the same lines however the bytes arrive', () => {
    const lines = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, '').trim()))
    fc.assert(
      fc.property(lines, fc.array(fc.nat()), (texts, cuts) => {
        const reader = new MessageLines(1_000_000)
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))
        const found = chunksOf(bytes, cuts).flatMap((chunk) => [...reader.add(chunk)])
        expect(found).toEqual(texts)
      }),
    )
  })

  test('refuses a line beyond its bound, also one that never ends', () => {
    const reader = new MessageLines(10)
    expect([...reader.add(Buffer.from('123456789\n12345'))]).toEqual(['123456789'])
    expect(() => [...reader.add(Buffer.from('678901'))]).toThrow(/more than 10 bytes/)
  })
})

describe('TextTail', () => {
  test('keeps the end, in bounds, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 50 }), (texts, most) => {
        const tail = new TextTail(most)
        for (const text of texts) tail.add(Buffer.from(text))
        expect(tail.line.length).toBeLessThanOrEqual(most * 3 + 1)
      }),
    )
    const tail = new TextTail(8)
    for (let line = 0; line < 1_000; line++) tail.add(Buffer.from(`line ${line}\n`))
    expect(tail.line).toBe('…ine 999')
  })
})

describe('PathAlias', () => {
  const path = '/tmp/rlenv-mcp-Ab12Cd'
  test('brings back what it sent, at any depth', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('/workspace', '/workspace/a.txt', 'cp /workspace/a /workspace/b'),
    )
    const value = fc.dictionary(fc.string(), fc.oneof(text, fc.array(text), fc.dictionary(fc.string(), text)))
    fc.assert(
      fc.property(value, (args) => {
        const alias = new PathAlias(path)
        expect(alias.fromServer(alias.toServer(args as { [key: string]: Json }))).toEqual(args)
      }),
    )
  })

  test('touches no longer name that only begins alike, and nothing at all without a workspace', () => {
    const args = { a: '/workspaces/x', b: '/workspace-2', c: 'in /workspace.' }
    expect(new PathAlias(path).toServer(args)).toEqual({ ...args, c: `in ${path}.` })
    expect(new PathAlias(null).toServer(args)).toBe(args)
  })
})

describe('ToolState', () => {
  const row = fc.record({ id: fc.integer({ min: 0, max: 3 }), name: fc.constantFrom('a', 'b') })
  test('a difference is empty for equal states in any order, and turns one state into the other', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(row), (before, after) => {
        const [initial, final] = [new ToolState({ rows: before }), new ToolState({ rows: after })]
        expect(capturedState(initial, new ToolState({ rows: [...before].reverse() })).diff).toEqual([])
        const { diff } = capturedState(initial, final)
        const left = [...initial.rows('rows')]
        for (const change of diff) {
          if (change.kind === 'insert') left.push(change.after)
          else left.splice(indexOf(left, change.key), 1)
        }
        expect(new ToolState({ rows: left as Json }).rows('rows')).toEqual(final.rows('rows'))
      }),
    )
  })

  test('holds what is no list of objects as values', () => {
    const state = new ToolState({ count: 2, tags: ['x'], rows: [], deep: { a: [1] } })
    expect(state.tables).toEqual(['rows', 'values'])
    expect(state.rows('values')).toEqual([
      { key: 'count', value: 2 },
      { key: 'deep', value: '{"a":[1]}' },
      { key: 'tags', value: '["x"]' },
    ])
    expect(new ToolState('plain').rows('values')).toEqual([{ key: 'value', value: 'plain' }])
  })
})

describe('names of tools', () => {
  const listed = (names: readonly string[]) => names.map((name) => ({ name, inputSchema: { type: 'object' } }))
  test('are ones that chat APIs and rlenv take, depend on their own original alone, and lead back to it', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('reset', '__x', '2fa', 'größe', 'a.b', 'x'.repeat(80)),
    )
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), (names) => {
        const all = catalogOr(names)
        if (all === null) return
        for (const original of names) {
          const world = all.worldName(original)
          expect(world).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
          expect(all.tool(world ?? '')?.serverName).toBe(original)
          expect(new ToolCatalog(listed([original]), null).worldName(original)).toBe(world)
        }
      }),
    )

    function catalogOr(names: readonly string[]): ToolCatalog | null {
      try {
        return new ToolCatalog(listed(names), null)
      } catch (cause) {
        // Two originals may clean up to one name; that is refused with both.
        expect(String(cause)).toMatch(/would both be called/)
        return null
      }
    }
  })
})

describe('Turnstile', () => {
  test('never lets in more than it may, and everybody who stays in line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { maxLength: 12 }),
        async (most, stays) => {
          const gate = new Turnstile(most)
          let inside = 0
          let served = 0
          const visits = stays.map(async (stay) => {
            const leaving = new AbortController()
            const entering = gate.enter(leaving.signal)
            if (!stay) leaving.abort(new Error('left'))
            await entering
            inside += 1
            served += 1
            expect(inside).toBeLessThanOrEqual(most)
            await new Promise((resolve) => setImmediate(resolve))
            inside -= 1
            gate.leave()
          })
          await Promise.allSettled(visits)
          expect(served).toBeGreaterThanOrEqual(stays.filter(Boolean).length)
          expect(gate.isFull).toBe(false)
        },
      ),
    )
  })
})

function indexOf(rows: readonly Row[], row: Row): number {
  return rows.findIndex((one) => JSON.stringify(one) === JSON.stringify(row))
}

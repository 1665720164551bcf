import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { judgedFromTrace, traceLine } from '../../src/runs/trace-line.ts'
import { judgedOf } from '../../src/testing/trajectories.ts'
import type { Json } from '../../src/vocabulary/json.ts'
import type { Message } from '../../src/vocabulary/message.ts'
import type { ToolResult } from '../../src/vocabulary/tool.ts'
import type { CallRecord, JudgedTrajectory, Turn } from '../../src/vocabulary/trajectory.ts'

/** A call's result and the tool message that the policy read; null = the rollout ended before there was one. */
interface Answer {
  readonly id: string
  readonly result: ToolResult
  readonly text: string | null
}

const shown = (content: Json): string => (typeof content === 'string' ? content : JSON.stringify(content))

function judgedWith(turns: readonly (readonly Answer[])[]): JudgedTrajectory {
  const judged = judgedOf(1)
  const { span } = judged.trajectory.turns[0] as Turn
  const messages: Message[] = [{ role: 'user', content: 'Do it.' }]
  const played = turns.map((answers, index): Turn => {
    const messageIndex = messages.push({ role: 'assistant', content: null }) - 1
    const calls = answers.map(({ id, result, text }): CallRecord => {
      if (text !== null) messages.push({ role: 'tool', tool_call_id: id, content: text })
      return { id, name: 'look', serverName: 'look', arguments: {}, result, diff: [] }
    })
    return { index, messageIndex, windowStart: 0, span, calls, truncated: false }
  })
  return { ...judged, trajectory: { ...judged.trajectory, messages, turns: played } }
}

const written = (judged: JudgedTrajectory): unknown => JSON.parse(JSON.stringify(traceLine(judged)))
const resultsOf = (judged: JudgedTrajectory) => {
  return traceLine(judged).turns.flatMap((turn) => turn.calls.map((call) => call.result))
}
const answer = (content: Json, text: string | null = shown(content)): Answer => {
  return { id: 'a', result: { ok: true, content }, text }
}

/** JSON as it comes out of JSON: without -0, which no file can hold. */
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)
/** Strings, among them those that read as JSON. */
const text = fc.oneof(fc.string({ unit: 'binary' }), json.map(shown), fc.constantFrom('12', '"a"', 'null', ' 1', ''))
const content: fc.Arbitrary<Json> = fc.oneof(json, text)
const anyAnswer: fc.Arbitrary<Answer> = fc
  .record({
    // Servers number calls anew in every message, and some give one id twice.
    id: fc.constantFrom('call_0', 'call_1'),
    content,
    notice: fc.option(fc.string()),
    other: fc.option(text),
    cut: fc.boolean(),
    ok: fc.boolean(),
    silent: fc.boolean(),
  })
  .map(({ id, content: value, notice, other, cut, ok, silent }) => {
    const error = { kind: 'business_rejection', code: 'no', message: 'no' } as const
    const sizes = { $cut: { characters: 90_000, shown: 5 } }
    const kept = { ok: true as const, content: cut ? sizes : value, ...(notice !== null && { notice }) }
    return { id, result: ok ? kept : { ok: false, error }, text: silent ? null : (other ?? shown(value)) }
  })

describe('the results in a trace line', () => {
  test('come back as they were, whatever tools returned and messages showed', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyAnswer, { maxLength: 4 }), { maxLength: 4 }), (turns) => {
        const judged = judgedWith(turns)
        expect(judgedFromTrace(written(judged))).toEqual(judged)
      }),
      { numRuns: 300 },
    )
  })

  test('leave out what a message shows as it is, and nothing else', () => {
    const notice = { ...answer([1]), result: { ok: true, content: [1], notice: 'more' } } as const
    const turns = [
      [answer({ rows: [1, 2] })],
      [answer('a sentence')],
      [answer(null)],
      [notice],
      [answer('12')],
      [answer({ $cut: { characters: 9, shown: 3 } }, '{"r\n[6 of 9 characters are missing here; ask for less]')],
      [answer([2], null)],
    ]
    expect(turns.map((turn) => resultsOf(judgedWith([turn]))[0])).toEqual([
      { ok: true },
      { ok: true },
      { ok: true },
      { ok: true, notice: 'more' },
      { ok: true, content: '12' },
      { ok: true, content: { $cut: { characters: 9, shown: 3 } } },
      { ok: true, content: [2] },
    ])
  })

  test('are found by the message of their own turn when ids come again', () => {
    const judged = judgedWith([[answer(1)], [answer(2), answer(3)]])
    expect(resultsOf(judged)).toEqual([{ ok: true }, { ok: true }, { ok: true, content: 3 }])
    expect(judgedFromTrace(written(judged))).toEqual(judged)
  })

  test('halve a line that is mostly tool results', () => {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, note: 'as long as most rows are' }))
    const judged = judgedWith([[answer(rows)]])
    const before = JSON.stringify({ ...traceLine(judged), turns: judged.trajectory.turns }).length
    expect(JSON.stringify(traceLine(judged)).length).toBeLessThan(before * 0.6)
  })

  test('written whole, as earlier versions did, are read as they are', () => {
    const judged = judgedWith([[answer({ rows: [1] })]])
    const line = { ...traceLine(judged), turns: judged.trajectory.turns }
    expect(judgedFromTrace(JSON.parse(JSON.stringify(line)))).toEqual(judged)
  })

  test('that no message has are refused', () => {
    const line = written(judgedWith([[answer([1])]])) as { messages: unknown[] }
    line.messages.pop()
    expect(() => judgedFromTrace(line)).toThrow(z.ZodError)
    expect(() => judgedFromTrace(line)).toThrow(/no tool message has it/)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Admission, type Place } from '../../src/serving/admission.ts'

describe('Admission', () => {
  test('admits up to its capacity at once and whoever comes next in the order of coming', async () => {
    const admission = new Admission(1, 2)
    const first = await admission.enter({})
    const order: string[] = []
    const second = Promise.resolve(admission.enter({})).then((place) => {
      order.push('second')
      return place
    })
    const third = Promise.resolve(admission.enter({})).then(() => void order.push('third'))
    expect(admission).toMatchObject({ taken: 1, queued: 2 })
    first.release()
    ;(await second).release()
    await third
    expect(order).toEqual(['second', 'third'])
    expect(admission).toMatchObject({ taken: 1, queued: 0 })
  })

  test('tells everybody in line each time the line moves', async () => {
    const admission = new Admission(1, 3)
    const place = await admission.enter({})
    const told: string[] = []
    const leaving = new AbortController()
    const stay = (name: string) => ({ onQueued: (position: number) => void told.push(`${name}${position}`) })
    const a = Promise.resolve(admission.enter(stay('a')))
    const b = Promise.resolve(admission.enter({ ...stay('b'), signal: leaving.signal }))
    const c = Promise.resolve(admission.enter(stay('c')))
    leaving.abort(new Error('gave up'))
    await expect(b).rejects.toThrow('gave up')
    place.release()
    await a
    expect(told).toEqual(['a1', 'b2', 'c3', 'a1', 'c2', 'c1'])
    admission.dismiss(new Error('over'))
    await expect(c).rejects.toThrow('over')
  })

  test('refuses whoever finds the line full as well', async () => {
    const admission = new Admission(1, 0)
    await admission.enter({})
    expect(() => admission.enter({})).toThrow(expect.objectContaining({ code: 'RLENV_SERVER_FULL' }))
  })

  test('never lets in more than its capacity and never loses a place, whatever happens in whatever order', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const) }),
      fc.record({ kind: fc.constant('release' as const), index: fc.nat(20), twice: fc.boolean() }),
      fc.record({ kind: fc.constant('abort' as const), index: fc.nat(20) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.nat(4), fc.array(step, { maxLength: 60 }), play),
    )
  })
})

type Step =
  | { readonly kind: 'enter' }
  | { readonly kind: 'release'; readonly index: number; readonly twice: boolean }
  | { readonly kind: 'abort'; readonly index: number }

async function play(capacity: number, queueLimit: number, steps: readonly Step[]): Promise<void> {
  const admission = new Admission(capacity, queueLimit)
  const held: Place[] = []
  const waiting = new Set<AbortController>()
  const enter = async () => {
    const controller = new AbortController()
    waiting.add(controller)
    try {
      held.push(await admission.enter({ signal: controller.signal }))
    } catch {
      // Refused or given up; the counts below say whether that was right.
    } finally {
      waiting.delete(controller)
    }
  }
  for (const step of steps) {
    if (step.kind === 'enter') void enter()
    else if (step.kind === 'abort') [...waiting][step.index]?.abort()
    else {
      const [place] = held.splice(step.index, 1)
      place?.release()
      if (step.twice) place?.release()
    }
    await new Promise(setImmediate)
    expect(admission.taken).toBe(held.length)
    expect(admission.taken).toBeLessThanOrEqual(capacity)
    expect(admission.queued).toBeLessThanOrEqual(queueLimit)
    if (admission.queued > 0) expect(admission.taken).toBe(capacity)
  }
  for (const controller of waiting) controller.abort()
  await new Promise(setImmediate)
  for (const place of held) place.release()
  expect(admission).toMatchObject({ taken: 0, queued: 0 })
}

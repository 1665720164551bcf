import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import { CounterInstance, CounterWorld } from './counter-environment.ts'
import { collectAll, drawsOf, engineOf } from './engine-of.ts'

const policy = scriptedPolicy(({ random }, turn) => {
  return turn < 3 ? { tool: 'add', arguments: { by: random.int(3) - 1 } } : 'Done.'
})

/** Members of one group of six; those named fault in their second call. */
async function membersWith(faulty: ReadonlySet<number>) {
  const world = new CounterWorld((count) => {
    let calls = 0
    return new CounterInstance({ call: () => (faulty.has(count) && ++calls === 2 ? null : undefined) })
  })
  const { engine } = await engineOf({ policy, world, config: { maxConcurrentRollouts: 1 } })
  const [group] = await collectAll(engine, { draws: drawsOf(1), rolloutsPerDraw: 6 })
  return group!.members
}

test('faults in some members of a group change nothing in the others', async () => {
  const clean = await membersWith(new Set())
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(5)), async (indices) => {
      const faulty = new Set(indices)
      const members = await membersWith(faulty)
      for (const [index, member] of members.entries()) {
        if (faulty.has(index)) expect(member.outcome.kind).toBe('environment_fault')
        else expect(member).toEqual(clean[index])
      }
    }),
    { numRuns: 25 },
  )
})

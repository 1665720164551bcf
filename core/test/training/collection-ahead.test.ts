import { describe, expect, test } from 'vitest'
import { CollectionAhead } from '../../src/training/collection-ahead.ts'

/** Steps whose collection the test ends by hand. */
function collectionOf(maxStaleness: number, steps = 10) {
  const begun: number[] = []
  const ends = new Map<number, { resolve: (draws: number) => void; reject: (cause: Error) => void }>()
  let drawn = 0
  const ahead = new CollectionAhead<number>(
    {
      maxStaleness,
      steps,
      snapshot: () => ({ sampler: drawn, memory: null, release: () => undefined }),
      frontierAfter: (frontier) => frontier,
      collect: (step, { frontier }) => {
        begun.push(step)
        drawn += 1
        return new Promise((resolve, reject) => {
          ends.set(step, { resolve: (draws) => resolve(frontier + draws), reject })
        })
      },
    },
    0,
    0,
  )
  const end = async (step: number, draws = 4) => {
    ends.get(step)?.resolve(draws)
    await ahead.take(step)
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { ahead, begun, ends, end, settle }
}

describe('CollectionAhead', () => {
  test('with a bound of 0 begins a step only when the one before it is learnt', async () => {
    const { ahead, begun, end, settle } = collectionOf(0)
    ahead.advance(0)
    await settle()
    await end(0)
    await settle()
    expect(begun).toEqual([0])
    ahead.advance(1)
    await settle()
    expect(begun).toEqual([0, 1])
  })

  test('with a bound of 2 collects two steps more than are learnt, one after the other', async () => {
    const { ahead, begun, end, settle } = collectionOf(2)
    ahead.advance(0)
    await settle()
    expect(begun).toEqual([0])
    await end(0)
    await end(1)
    await end(2)
    await settle()
    expect(begun).toEqual([0, 1, 2])
    ahead.advance(1)
    await settle()
    expect(begun).toEqual([0, 1, 2, 3])
  })

  test('never begins a step that the run does not have', async () => {
    const { ahead, begun, end, settle } = collectionOf(5, 2)
    ahead.advance(0)
    await settle()
    await end(0)
    await end(1)
    await settle()
    expect(begun).toEqual([0, 1])
  })

  test('knows what each step started from, also while later ones run', async () => {
    const { ahead, end, settle } = collectionOf(1)
    ahead.advance(0)
    await settle()
    await end(0, 3)
    await settle()
    expect(ahead.origin(1)).toMatchObject({ frontier: 3, sampler: 1, memory: null })
    await end(1, 5)
    expect(ahead.origin(2)).toMatchObject({ frontier: 8, sampler: 2, memory: null })
  })

  test('hands the failure of a step to whoever takes it and begins none after it', async () => {
    const { ahead, begun, ends, settle } = collectionOf(3)
    ahead.advance(0)
    await settle()
    ends.get(0)?.reject(new Error('the world is gone'))
    await expect(ahead.take(0)).rejects.toThrow('the world is gone')
    await settle()
    await expect(ahead.take(1)).rejects.toThrow('the world is gone')
    expect(begun).toEqual([0])
  })
})

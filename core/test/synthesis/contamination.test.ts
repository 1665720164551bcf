import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contamination } from '../../src/synthesis/contamination.ts'
import type { Task } from '../../src/vocabulary/task.ts'

function task(id: string, instruction: string): Task {
  const environmentId = id.slice(0, id.indexOf('/'))
  return { id, environmentId, instruction, kind: 'k', difficulty: 0, gold: { calls: [], answer: 1 }, guidelines: [] }
}

describe('contamination', () => {
  test('counts tasks whose text stands in two environments, whatever their case and punctuation', () => {
    const report = contamination([
      task('a/1', 'Cancel the order of Ana.'),
      task('b/1', '  cancel the order of ANA!'),
      task('b/2', 'Which shelf is it on?'),
    ])
    expect(report).toEqual({
      tasks: 3,
      sharedInstructions: 2,
      nearDuplicates: 2,
      pairs: [{ first: 'a/1', second: 'b/1', similarity: 1 }],
    })
  })

  test('counts near-duplicates from a similarity of 0.8 on', () => {
    // 9 words in common, one other each: 9 / 11 = 0.818; with two others each: 8 / 12 = 0.667
    const near = contamination([task('a/1', 'a b c d e f g h i one'), task('b/1', 'a b c d e f g h i two')])
    expect(near).toMatchObject({ sharedInstructions: 0, nearDuplicates: 2 })
    expect(near.pairs[0]?.similarity).toBeCloseTo(9 / 11, 12)
    const far = contamination([task('a/1', 'a b c d e f g h one 1'), task('b/1', 'a b c d e f g h two 2')])
    expect(far).toMatchObject({ nearDuplicates: 0, pairs: [] })
  })

  test('does not count what stands twice in one environment', () => {
    expect(contamination([task('a/1', 'Same words'), task('a/2', 'Same words')])).toMatchObject({ nearDuplicates: 0 })
  })

  test('finds every pair that comparing all with all finds', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 8 })
    const collections = fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), words), { maxLength: 12 })
    fc.assert(
      fc.property(collections, fc.constantFrom(0.5, 0.8, 1), (texts, threshold) => {
        const tasks = texts.map(([environment, text], i) => task(`${environment}/${i}`, text.join(' ')))
        const expected = tasks.flatMap((first, i) =>
          tasks.slice(i + 1).flatMap((second) => {
            const [a, b] = [new Set(first.instruction.split(' ')), new Set(second.instruction.split(' '))]
            const common = [...a].filter((word) => b.has(word)).length
            const similarity = common / (a.size + b.size - common)
            const near = first.environmentId !== second.environmentId && similarity >= threshold
            return near ? [`${first.id} ${second.id}`] : []
          }),
        )
        const { pairs, nearDuplicates } = contamination(tasks, threshold)
        expect(nearDuplicates).toBe(new Set(expected.flatMap((pair) => pair.split(' '))).size)
        if (expected.length <= 50) {
          expect(pairs.map(({ first, second }) => `${first} ${second}`).sort()).toEqual(expected.sort())
        }
      }),
    )
  })
})

import { describe, expect, test } from 'vitest'
import { runBounded } from '../../src/synthesis/run-bounded.ts'

const never = new AbortController().signal
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('runBounded', () => {
  test('keeps the order of the items and never runs more than the limit', async () => {
    let running = 0
    let most = 0
    const results = await runBounded([5, 1, 4, 2, 3], 2, never, async (item) => {
      most = Math.max(most, ++running)
      for (let i = 0; i < item; i++) await turn()
      running--
      return item * 10
    })
    expect(results).toEqual([50, 10, 40, 20, 30])
    expect(most).toBe(2)
  })

  test('aborts the others at the first failure and throws it once they have ended', async () => {
    const ended: string[] = []
    const work = async (item: string, signal: AbortSignal) => {
      if (item === 'bad') throw new Error('bad item')
      while (!signal.aborted) await turn()
      ended.push(item)
      signal.throwIfAborted()
    }
    await expect(runBounded(['slow', 'bad', 'later'], 2, never, work)).rejects.toThrow('bad item')
    expect(ended).toEqual(['slow'])
  })

  test('throws the reason of an abort and starts nothing more', async () => {
    const stop = new AbortController()
    const started: number[] = []
    const run = runBounded([1, 2, 3], 1, stop.signal, async (item) => {
      started.push(item)
      stop.abort(new Error('enough'))
    })
    await expect(run).rejects.toThrow('enough')
    expect(started).toEqual([1])
  })
})

import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { HangDetector, sectionLimits } from '../../../src/rollout/shards/hang-detector.ts'
import { ShardMarks } from '../../../src/rollout/shards/shard-marks.ts'

const limits = sectionLimits({ toolTimeoutMs: 100, turnTimeoutMs: 1000, verifierTimeoutMs: 400 })

/** A detector that looks every 20 ms of a time that only the test moves. */
function watched(marks: ShardMarks) {
  let now = 0
  const detector = new HangDetector(marks, limits, 20, now)
  const beat = new Int32Array(marks.buffer)
  return {
    detector,
    turn: () => Atomics.add(beat, 0, 1),
    /** Looks until so much time has passed; the last pace. */
    wait: (ms: number) => {
      let pace = detector.look(now)
      for (const until = now + ms; now < until; ) {
        now += 20
        pace = detector.look(now)
      }
      return pace
    },
    sleep: (ms: number) => {
      now += ms
      return detector.look(now)
    },
  }
}

describe('the marks of a shard', () => {
  test('tell another thread whose tool is being called while that call goes on', async () => {
    const marks = new ShardMarks()
    const reader = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads')
       const words = new Int32Array(workerData, 0, 5)
       while (Atomics.load(words, 3) === 0);
       parentPort.postMessage({ slot: words[2], length: words[4] })`,
      { eval: true, workerData: marks.buffer },
    )
    const seen = new Promise((resolve) => reader.once('message', resolve))
    await new Promise((resolve) => reader.once('online', resolve))
    marks.within(7, 'tool', 'renew_loan', () => {
      const until = performance.now() + 300
      while (performance.now() < until);
    })
    expect(await seen).toEqual({ slot: 7, length: 10 })
    expect(marks.read()).toMatchObject({ slot: 0, section: 'idle', name: '' })
  })
  test('are those of the outer call again when an inner one throws', () => {
    const marks = new ShardMarks()
    marks.within(3, 'verifier', '', () => {
      expect(() =>
        marks.within(3, 'tool', 'x'.repeat(100), () => {
          expect(marks.read()?.name).toBe('x'.repeat(64))
          throw new Error('no')
        }),
      ).toThrow('no')
      expect(marks.read()).toMatchObject({ slot: 3, section: 'verifier' })
    })
  })
})

describe('a shard counts as hung', () => {
  test('when one call outlasts its limit, and as slow before', () => {
    const marks = new ShardMarks()
    const { detector, turn, wait } = watched(marks)
    turn()
    marks.within(4, 'tool', 'spin', () => {
      expect(wait(20)).toBe('fine')
      expect(wait(60)).toBe('slow')
      expect(wait(100)).toBe('hung')
      expect(detector.hang()).toMatchObject({ mark: { slot: 4, section: 'tool', name: 'spin' }, limitMs: 100 })
    })
  })
  test('also when it gets stuck before its event loop has turned once', () => {
    const marks = new ShardMarks()
    const { wait } = watched(marks)
    const stop = marks.startBeating()
    marks.within(4, 'tool', 'spin', () => expect(wait(200)).toBe('hung'))
    stop()
  })
  test('not when many short calls follow each other, but when its event loop never turns', () => {
    const marks = new ShardMarks()
    const { turn, wait } = watched(marks)
    turn()
    const paces = Array.from({ length: 40 }, () => marks.within(4, 'tool', 'quick', () => wait(20)))
    expect(paces.slice(0, 20)).not.toContain('hung')
    expect(paces).toContain('hung')
  })
  test('not while it is being set up, nor because its watcher slept', () => {
    const marks = new ShardMarks()
    const { turn, wait, sleep } = watched(marks)
    expect(wait(10_000)).toBe('fine')
    turn()
    expect(wait(20)).toBe('fine')
    expect(sleep(100_000)).not.toBe('hung')
  })
  test('after the time that its verifier or its policy has, where it is inside those', () => {
    const marks = new ShardMarks()
    const { turn, wait } = watched(marks)
    turn()
    marks.within(1, 'verifier', '', () => {
      expect(wait(300)).not.toBe('hung')
      expect(wait(200)).toBe('hung')
    })
    turn()
    marks.within(1, 'policy', '', () => {
      expect(wait(900)).not.toBe('hung')
      expect(wait(200)).toBe('hung')
    })
  })
})

import { expect, test } from 'vitest'
import { LaunchQueue } from '../../src/rollout/launch-queue.ts'

/** Runs pieces of work together and notes the order of starts and ends. */
async function order(pieces: readonly (() => Promise<void>)[]): Promise<string[]> {
  const queue = new LaunchQueue()
  const notes: string[] = []
  const all = pieces.map((piece, index) =>
    queue.start(async () => {
      notes.push(`start ${index}`)
      await piece()
      notes.push(`end ${index}`)
    }),
  )
  await Promise.allSettled(all)
  return notes
}

const atOnce = async () => {
  await Promise.resolve()
  await Promise.resolve()
}
const later = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms))

test('runs work that answers at once one after the other', async () => {
  expect(await order([atOnce, atOnce, atOnce])).toEqual(['start 0', 'end 0', 'start 1', 'end 1', 'start 2', 'end 2'])
})

test('runs work that waits side by side', async () => {
  const notes = await order([later(30), later(20), later(10)])
  expect(notes.slice(0, 3)).toEqual(['start 0', 'start 1', 'start 2'])
})

test('goes on after work that fails', async () => {
  const failing = () => Promise.reject(new Error('no'))
  expect(await order([failing, atOnce])).toEqual(['start 0', 'start 1', 'end 1'])
})

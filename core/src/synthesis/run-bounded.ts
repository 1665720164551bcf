/**
 * Runs `work` on every item, at most `limit` at a time, and returns the results in the order of the items. The first
 * failure aborts the signal that the others were given and is thrown once they have come to an end.
 */
export async function runBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const results: Result[] = []
  const failures: unknown[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length && !either.aborted) {
      const index = next++
      try {
        results[index] = await work(items[index] as Item, either)
      } catch (failure) {
        failures.push(failure)
        stop.abort(failure)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  signal.throwIfAborted()
  if (failures.length > 0) throw failures[0]
  return results
}

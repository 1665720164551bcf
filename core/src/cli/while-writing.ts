/**
 * Does work whose results are written beside it, and waits for all of them. The first write that fails ends the work.
 *
 * @param work - passes each write under way to `write`, and stops at its signal.
 * @throws what a write failed with, else what the work threw.
 */
export async function whileWriting<Result>(
  signal: AbortSignal,
  work: (write: (pending: Promise<void>) => void, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const failed = new AbortController()
  const pending: Promise<void>[] = []
  const write = (one: Promise<void>) => {
    pending.push(one.catch((cause: unknown) => failed.abort(cause)))
  }
  const working = work(write, AbortSignal.any([signal, failed.signal]))
  const [ended] = await Promise.allSettled([working])
  await Promise.all(pending)
  failed.signal.throwIfAborted()
  if (ended.status === 'rejected') throw ended.reason
  return ended.value
}

import { RlenvError } from '../errors/rlenv-error.ts'

/** Milliseconds that a configuration may take to load; without the timer Node would end in silence before. */
const loadTimeoutMs = 60_000

/**
 * Waits for what a configuration file, or a function in it, promises.
 *
 * @throws {RlenvError} RLENV_CONFIG_FAILED when it has not settled in time; what the promise rejects with.
 */
export async function loadedInTime<Value>(loading: Value | PromiseLike<Value>, name: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(neverSettled(name)), loadTimeoutMs)
  })
  try {
    return await Promise.race([loading, late])
  } finally {
    clearTimeout(timer)
  }
}

function neverSettled(name: string): RlenvError {
  return new RlenvError(
    `${name} has not loaded after ${loadTimeoutMs / 1000} s: it waits for a promise that does not settle`,
    {
      code: 'RLENV_CONFIG_FAILED',
      fix: 'Settle what the configuration awaits, exports or returns.',
    },
  )
}

import { RlenvError } from '../errors/rlenv-error.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

/** Exit code of a run that was interrupted and can be resumed. */
const interruptedExitCode = 130

/**
 * Turns Ctrl-C into an abort: the first one lets a run stop in order, the second one ends the process at once.
 *
 * @param announce - told once, when the first signal comes.
 * @returns the signal to hand down, and `release`, which gives Ctrl-C its usual meaning back.
 */
export function interruptible(announce: () => void): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(interruptedExitCode)
    announce()
    controller.abort(
      new RlenvError('the run was interrupted', {
        code: 'RLENV_INTERRUPTED',
        fix: 'Run the same command again, with --resume for training, to go on where it stopped.',
      }),
    )
  }
  for (const name of signals) process.on(name, onSignal)
  const release = () => {
    for (const name of signals) process.off(name, onSignal)
  }
  return { signal: controller.signal, release }
}

/** What `work` promises, or the signal's reason as soon as it aborts: for work that does not listen to it. */
export function unlessInterrupted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

/** Ends the process with its exit code once its output is written, whatever a configuration or a plugin left running. */
export function endWhenWritten(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

/** Milliseconds that a finished command waits for what still runs in its process. */
const lingerMs = 3_000

/** Ends the process of a finished command although a configuration or a plugin left a timer or a socket open. */
export function endThoughHeld(): void {
  const end = () => {
    const held = [...new Set(process.getActiveResourcesInfo())].join(', ')
    process.stderr.write(`ended, though a configuration or a plugin left something running: ${held}\n`, () =>
      process.exit(),
    )
  }
  setTimeout(end, lingerMs).unref()
}

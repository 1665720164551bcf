import { type ChildProcess, fork } from 'node:child_process'
import { type ErrorCode, errorCodes } from '../errors/error-codes.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { ExperimentResult } from './experiment-result.ts'
import type { ExperimentOrder } from './run-experiment.ts'

/** What an experiment's process says. */
export type FromExperiment =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'done'; readonly result: ExperimentResult }
  | {
      readonly kind: 'failed'
      readonly code: string | null
      readonly message: string
      readonly fix: string | null
      readonly stack: string
    }

/**
 * Runs one experiment in a process of its own. When the signal aborts it saves its last finished step and ends.
 *
 * @param onStep - told after each training step, with how many there were.
 * @throws {RlenvError} what the experiment failed with.
 */
export function experimentProcess(
  order: ExperimentOrder,
  onStep: (step: number) => void,
  signal: AbortSignal,
): Promise<ExperimentResult> {
  const child = fork(new URL('./experiment-main.js', import.meta.url), [], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const stop = () => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return outcomeOf(child, order, onStep).finally(() => signal.removeEventListener('abort', stop))
}

/** So much of what a process that died wrote to stderr is shown. */
const shownErrorText = 2000

function outcomeOf(
  child: ChildProcess,
  order: ExperimentOrder,
  onStep: (step: number) => void,
): Promise<ExperimentResult> {
  return new Promise((resolve, reject) => {
    let errorText = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errorText = `${errorText}${text}`.slice(-shownErrorText)
    })
    child.on('message', (message: FromExperiment) => {
      if (message.kind === 'step') onStep(message.step)
      else if (message.kind === 'done') resolve(message.result)
      else reject(failureOf(message, order))
    })
    child.on('error', reject)
    child.on('exit', (code, killedBy) => reject(deathOf(order, killedBy ?? `exit code ${code}`, errorText)))
    child.send(order)
  })
}

function failureOf(
  { code, message, fix, stack }: Extract<FromExperiment, { kind: 'failed' }>,
  { arm, replicate }: ExperimentOrder,
): Error {
  const known = code !== null && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : null
  const what = `${arm.name}, seed ${replicate + 1}: ${message}`
  if (known === null) return new Error(what, { cause: stack })
  return new RlenvError(what, { code: known, ...(fix === null ? {} : { fix }) })
}

function deathOf({ arm, replicate }: ExperimentOrder, how: string, errorText: string): Error {
  return new Error(`the process of ${arm.name}, seed ${replicate + 1}, ended with ${how}: ${errorText.trim()}`)
}

import { isRlenvError, messageOf, RlenvError } from '../errors/rlenv-error.ts'
import type { FromExperiment } from './experiment-process.ts'
import { type ExperimentOrder, runExperiment } from './run-experiment.ts'

/** Runs one experiment in a process of its own, which ends with the one that began it. */
const ending = new AbortController()

function stop(): void {
  ending.abort(new RlenvError('the ablation was interrupted', { code: 'RLENV_INTERRUPTED' }))
}

function tell(message: FromExperiment): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })
}

async function work(order: ExperimentOrder): Promise<void> {
  try {
    const result = await runExperiment(
      order,
      (event) => {
        if (event.type !== 'step:end') return
        void tell({ kind: 'step', step: event.step + 1 })
      },
      ending.signal,
    )
    await tell({ kind: 'done', result })
  } catch (cause) {
    const { code = null, fix = null } = isRlenvError(cause) ? cause : {}
    const stack = cause instanceof Error ? (cause.stack ?? '') : ''
    await tell({ kind: 'failed', code, message: messageOf(cause), fix, stack })
  }
  process.disconnect()
}

// Ctrl-C reaches the whole group of processes; the one that began this says when to stop.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', stop)
process.on('disconnect', stop)
process.once('message', (order) => void work(order as ExperimentOrder))

import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Metric } from './metric.ts'

/**
 * Runs a suite in a process of its own, so that it finds neither the memory nor the compiled code of those before it.
 *
 * @param program - the benchmark, which with `--suite` runs that suite and sends what it measured.
 * @throws Error when the process ends before it has sent its metrics; what went wrong is on stderr.
 */
export async function runApart(program: string, suite: string, smoke: boolean): Promise<readonly Metric[]> {
  const child = fork(program, ['--suite', suite, ...(smoke ? ['--smoke'] : [])], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let metrics: readonly Metric[] | null = null
  child.once('message', (sent) => {
    metrics = sent as readonly Metric[]
  })
  const [code, endedBy] = await once(child, 'exit')
  if (metrics === null || code !== 0) throw new Error(`its process ended with ${code ?? endedBy}`)
  return metrics
}

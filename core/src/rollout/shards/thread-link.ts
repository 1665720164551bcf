import { Worker } from 'node:worker_threads'
import { HangDetector } from './hang-detector.ts'
import { type LinkListener, lookEveryMs, type OpenLink, type ShardLink } from './shard-link.ts'
import { ShardMarks } from './shard-marks.ts'
import type { FromShard, ShardSetup, ToShard } from './shard-messages.ts'

/** Milliseconds after which a thread that was ended and still runs counts as one that cannot be ended. */
const killTimeoutMs = 1_000

/** A shard in a thread of this process. Its marks are read from here. */
class ThreadLink implements ShardLink {
  readonly over: Promise<void>
  readonly #worker: Worker
  readonly #marks = new ShardMarks()
  readonly #watching: NodeJS.Timeout
  #failure: Error | null = null

  constructor(module: string, setup: Omit<ShardSetup, 'kind' | 'marks'>, listener: LinkListener) {
    const resourceLimits = { maxOldGenerationSizeMb: setup.memoryMib }
    const worker = new Worker(new URL(module), { stdout: true, stderr: true, resourceLimits })
    this.#worker = worker
    // What plugins print belongs beside the run's own lines, never into its one document on stdout.
    for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (chunk) => process.stderr.write(chunk))
    worker.on('message', (message: FromShard) => listener.message(message))
    worker.on('error', (error: Error) => {
      this.#failure = error
    })
    this.#watching = this.#watch(setup, listener)
    this.over = new Promise((resolve) => {
      worker.on('exit', (code) => {
        clearInterval(this.#watching)
        resolve()
        listener.ended({ why: this.#failure?.message ?? `it exited with ${code}`, mark: this.#marks.read() })
      })
    })
    this.post({ kind: 'setup', ...setup, marks: this.#marks.buffer })
    worker.unref()
  }

  post(message: ToShard): void {
    this.#worker.postMessage(message)
  }

  setBusy(busy: boolean): void {
    if (busy) this.#worker.ref()
    else this.#worker.unref()
  }

  async kill(): Promise<boolean> {
    clearInterval(this.#watching)
    this.setBusy(true)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), killTimeoutMs)
    })
    const ended = await Promise.race([this.#worker.terminate().then(() => true), late])
    clearTimeout(timer)
    if (!ended) this.#worker.unref()
    return ended
  }

  #watch({ sectionLimits }: Pick<ShardSetup, 'sectionLimits'>, listener: LinkListener): NodeJS.Timeout {
    const detector = new HangDetector(this.#marks, sectionLimits, lookEveryMs, performance.now())
    let isSlow = false
    const timer = setInterval(() => {
      const pace = detector.look(performance.now())
      if (pace === 'hung') {
        clearInterval(timer)
        listener.hung(detector.hang())
      } else if (pace === 'slow' && !isSlow) listener.slow()
      isSlow = pace === 'slow'
    }, lookEveryMs)
    return timer.unref()
  }
}

export const openThread: OpenLink = (module, setup, listener) => new ThreadLink(module, setup, listener)

import type { AsyncParallelHook } from 'tapable'
import { messageOf } from '../errors/rlenv-error.ts'
import type { RunEvent } from '../telemetry/run-event.ts'
import { isThenable } from './guard.ts'
import type { ReadyPlugin } from './set-up-plugins.ts'

/** A watcher that fails on every event shall not fill the log. */
const maxLoggedErrors = 5

/** Tells `watch` plugins about events. Their errors go to the log and nowhere else. */
export class Watchers {
  readonly #hook: AsyncParallelHook<[RunEvent]>
  readonly #log: (plugin: string, message: string) => void
  readonly #pending = new Set<Promise<void>>()
  readonly #errors = new Map<string, number>()

  constructor(hook: AsyncParallelHook<[RunEvent]>, log: (plugin: string, message: string) => void) {
    this.#hook = hook
    this.#log = log
  }

  tap(provider: ReadyPlugin): void {
    const { watch } = provider.hooks
    if (watch === undefined) return
    const { name } = provider.plugin
    this.#hook.tapPromise({ name }, async (event) => {
      try {
        const answer = watch(event)
        if (isThenable(answer)) await answer
      } catch (error) {
        this.#complain(name, event, error)
      }
    })
  }

  /** Never throws, never waits. */
  emit(event: RunEvent): void {
    if (!this.#hook.isUsed()) return
    const told = this.#hook.promise(event)
    this.#pending.add(told)
    void told.finally(() => this.#pending.delete(told))
  }

  /** Resolves when every watcher has dealt with every event so far, or after `ms`. */
  async drain(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    await Promise.race([Promise.all(this.#pending), late])
    clearTimeout(timer)
  }

  #complain(plugin: string, event: RunEvent, error: unknown): void {
    const count = (this.#errors.get(plugin) ?? 0) + 1
    this.#errors.set(plugin, count)
    if (count > maxLoggedErrors) return
    const last = count === maxLoggedErrors ? '; its further errors are not shown' : ''
    this.#log(plugin, `watch failed on ${event.type}: ${messageOf(error)}${last}`)
  }
}

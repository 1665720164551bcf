import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ToolDefinition } from '../vocabulary/tool.ts'
import type { Session } from './session.ts'
import type { SessionBroker, SessionCounts } from './session-broker.ts'
import type { SessionCall } from './session-record.ts'

const helpOfCounts: Readonly<Record<keyof SessionCounts, string>> = {
  taken: 'Places taken by sessions that are open, opening or closing.',
  open: 'Sessions with a valid handle.',
  queued: 'Requests that wait for a place.',
  opened: 'Sessions that were opened.',
  closed: 'Sessions that were closed, by whatever.',
  reaped: 'Sessions that were closed because their lease ran out.',
  refused: 'Requests that found the queue full.',
}

const gauges: ReadonlySet<keyof SessionCounts> = new Set(['taken', 'open', 'queued'])

/** Milliseconds between two looks at the clock of the event loop. */
const lookEveryMs = 20

/** Node measures from one look to the next, in nanoseconds; what is late is what goes beyond that. */
const lateSeconds = (betweenNs: number): number => Math.max(0, betweenNs / 1e9 - lookEveryMs / 1e3)

/** What a server counts, in Prometheus' form. */
export class ServingMetrics {
  readonly #registry = new Registry()
  readonly #calls = new Map<string, number>()
  readonly #seconds: Histogram
  readonly #lag: IntervalHistogram = monitorEventLoopDelay({ resolution: lookEveryMs })
  /** Names of the tools that change nothing, per list of tools. */
  readonly #readers = new WeakMap<readonly ToolDefinition[], ReadonlySet<string>>()

  constructor() {
    const registers = [this.#registry]
    this.#seconds = new Histogram({
      name: 'rlenv_tool_call_seconds',
      help: 'Seconds from a call to its answer, waiting for its turn included.',
      buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    })
    const calls = this.#calls
    new Counter({
      name: 'rlenv_tool_calls_total',
      help: 'Calls by kind of tool and what became of them.',
      labelNames: ['kind', 'outcome'],
      registers,
      collect() {
        this.reset()
        for (const [key, count] of calls) {
          const [kind = '', outcome = ''] = key.split(' ')
          this.inc({ kind, outcome }, count)
        }
      },
    })
    this.#lag.enable()
    const lag = this.#lag
    new Gauge({
      name: 'rlenv_event_loop_lag_seconds',
      help: 'How late the event loop was since the last scrape.',
      labelNames: ['quantile'],
      registers,
      collect() {
        this.set({ quantile: '0.5' }, lateSeconds(lag.percentile(50)))
        this.set({ quantile: '0.99' }, lateSeconds(lag.percentile(99)))
        this.set({ quantile: '1' }, lateSeconds(lag.max))
        lag.reset()
      },
    })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Reports a broker's sessions from now on. */
  watch(broker: SessionBroker): void {
    const registers = [this.#registry]
    if (broker.workers !== null) this.watchWorkers(broker)
    for (const [count, help] of Object.entries(helpOfCounts) as [keyof SessionCounts, string][]) {
      if (gauges.has(count)) {
        const collect = function (this: Gauge) {
          this.set(broker.counts[count])
        }
        new Gauge({ name: `rlenv_sessions_${count}`, help, registers, collect })
      } else {
        const collect = function (this: Counter) {
          this.reset()
          this.inc(broker.counts[count])
        }
        new Counter({ name: `rlenv_sessions_${count}_total`, help, registers, collect })
      }
    }
  }

  /** Where worlds are held in processes of their own. */
  watchWorkers(broker: SessionBroker): void {
    const registers = [this.#registry]
    new Gauge({
      name: 'rlenv_workers_ready',
      help: 'Processes for worlds that answer now.',
      registers,
      collect() {
        this.set(broker.workers?.ready ?? 0)
      },
    })
    new Counter({
      name: 'rlenv_workers_restarts_total',
      help: 'Processes for worlds that were lost and replaced.',
      registers,
      collect() {
        this.reset()
        this.inc(broker.workers?.restarts ?? 0)
      },
    })
  }

  called(session: Session, { serverName, result }: SessionCall, durationMs: number): void {
    const kind = serverName === null ? 'none' : this.#readersOf(session.serverTools).has(serverName) ? 'read' : 'write'
    const key = `${kind} ${result.ok ? 'ok' : result.error.kind}`
    this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1)
    this.#seconds.observe(durationMs / 1_000)
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  close(): void {
    this.#lag.disable()
  }

  #readersOf(tools: readonly ToolDefinition[]): ReadonlySet<string> {
    const known = this.#readers.get(tools)
    if (known !== undefined) return known
    const readers = new Set(tools.filter(({ readOnly }) => readOnly).map(({ name }) => name))
    this.#readers.set(tools, readers)
    return readers
  }
}

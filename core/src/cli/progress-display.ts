import type { Clock } from '../determinism/clock.ts'
import type { RunEvent } from '../telemetry/run-event.ts'

/** Where progress is written; stderr, so that stdout stays clean for results. */
export interface ProgressOutput {
  readonly isTTY: boolean
  readonly columns: number
  write(text: string): void
}

/** Plain lines of one activity come at most this often, in milliseconds; the first and the last always come. */
const plainIntervalMs = 5000
const terminalIntervalMs = 80
/** So many warnings about one hook point are shown; a fault in it can come with every rollout. */
const shownWarnings = 3
const clearLine = '\r\u001b[2K'

interface Activity {
  readonly label: string
  readonly done: number
  readonly total: number
  readonly detail: string
}

/** Shows how far a run is: one rewritten line on a terminal, plain lines at a bounded rate elsewhere. */
export class ProgressDisplay {
  readonly #output: ProgressOutput
  readonly #clock: Clock
  readonly #evaluations = { rollouts: 0, total: 0 }
  readonly #warnings = new Map<string, number>()
  #shown: { label: string; at: number } | null = null
  #lineOpen = false

  constructor(output: ProgressOutput, clock: Clock) {
    this.#output = output
    this.#clock = clock
  }

  /** Takes every event of a run; pass it where an `EventSink` is wanted. */
  readonly onEvent = (event: RunEvent): void => {
    const note = event.type === 'warning' ? this.#warningNote(event) : noteOf(event)
    if (note !== null) this.note(note)
    const activity = this.#activityOf(event)
    if (activity) this.#show(activity)
  }

  /** Writes one line that stays. */
  note(text: string): void {
    this.#closeLine()
    this.#output.write(`${text}\n`)
  }

  /** Ends the line at hand. */
  finish(): void {
    this.#closeLine()
  }

  /** The first line of a warning; what follows, for example a stack, is for the log. */
  #warningNote({ message, plugin, hook }: Extract<RunEvent, { type: 'warning' }>): string | null {
    const text = `warning: ${message.split('\n', 1)[0]}`
    if (plugin === null && hook === null) return text
    const about = [plugin, hook].filter((part) => part !== null).join(' in ')
    const count = (this.#warnings.get(about) ?? 0) + 1
    this.#warnings.set(about, count)
    if (count <= shownWarnings) return text
    return count === shownWarnings + 1 ? `warning: more warnings about ${about} are not shown` : null
  }

  #activityOf(event: RunEvent): Activity | null {
    switch (event.type) {
      case 'environment:end': {
        const detail = event.accepted
          ? `${event.environmentId}: ${event.tasks} tasks`
          : `${event.environmentId} dropped`
        return { label: 'environments', done: event.done, total: event.total, detail }
      }
      case 'rollout:end':
        if (event.purpose !== 'eval' && event.purpose !== 'rollout') return null
        this.#evaluations.rollouts += 1
        return {
          label: event.purpose === 'eval' ? 'evaluation rollouts' : 'rollouts',
          done: this.#evaluations.rollouts,
          total: this.#evaluations.total,
          detail: '',
        }
      case 'evaluation:start':
        this.#evaluations.rollouts = 0
        this.#evaluations.total = event.rollouts
        return null
      case 'step:end':
        return { label: 'steps', done: event.step + 1, total: event.steps, detail: stepDetail(event.metrics) }
      default:
        return null
    }
  }

  #show(activity: Activity): void {
    const now = this.#clock.now()
    const sameLabel = this.#shown?.label === activity.label
    const interval = this.#output.isTTY ? terminalIntervalMs : plainIntervalMs
    const due = !sameLabel || now - (this.#shown?.at ?? 0) >= interval || activity.done === activity.total
    if (!due) return
    if (!sameLabel) this.#closeLine()
    this.#shown = { label: activity.label, at: now }
    const { isTTY, columns } = this.#output
    this.#output.write(isTTY ? `${clearLine}${terminalText(activity, columns)}` : `${plainText(activity)}\n`)
    this.#lineOpen = isTTY
  }

  #closeLine(): void {
    if (this.#lineOpen) this.#output.write('\n')
    this.#lineOpen = false
  }
}

function noteOf(event: RunEvent): string | null {
  switch (event.type) {
    case 'evaluation:end':
      return evaluationText(event.step, event.metrics)
    case 'waiting':
      return waitingText(event)
    default:
      return null
  }
}

/** A wait, with who waits for whom below it. */
export function waitingText({ waiter, forMs, graph = [] }: Extract<RunEvent, { type: 'waiting' }>): string {
  return [`still waiting for ${waiter} after ${(forMs / 1000).toFixed(0)} s`, ...graph].join('\n')
}

function evaluationText(step: number, metrics: Readonly<Record<string, number>>): string {
  const shown = [
    ['sampled', metrics['eval/pass@1']],
    ['greedy', metrics['eval/greedy_pass@1']],
  ] as const
  const rates = shown.flatMap(([way, rate]) => (rate === undefined ? [] : [`${(100 * rate).toFixed(1)} % ${way}`]))
  return `held-out success after ${step} steps: ${rates.join(', ') || 'nobody can say'}`
}

function stepDetail(metrics: Readonly<Record<string, number>>): string {
  const shown = [
    ['reward', metrics['reward/mean']],
    ['flat', metrics['reward/frac_zero_std_generated'] ?? metrics['reward/frac_zero_std']],
  ] as const
  return shown.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value.toFixed(2)}`])).join('  ')
}

function plainText({ label, done, total, detail }: Activity): string {
  const count = total > 0 ? `${done}/${total}` : String(done)
  return [`${label} ${count}`, detail].filter((part) => part !== '').join('  ')
}

function terminalText(activity: Activity, columns: number): string {
  const { done, total } = activity
  if (total === 0) return plainText(activity).slice(0, columns)
  const width = 24
  const filled = Math.round((done / total) * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${plainText(activity)}`.slice(0, columns)
}

import { type ChildProcess, fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { aliveEveryMs, type GuardNote, guardFd } from './guard-note.ts'
import type { LinkListener, LinkSetup, ShardLink } from './shard-link.ts'
import type { Mark } from './shard-marks.ts'

/** Milliseconds after a process's end in which its guard's last line must have come. */
const lastWordsMs = 50

/** Least milliseconds without a sign of life after which a process counts as stopped. */
const leastSilenceMs = 5_000

/** A shard in a process of its own. Secrets reach it by its environment alone. */
class ProcessLink<To extends object, From> implements ShardLink<To> {
  readonly over: Promise<void>
  readonly #child: ChildProcess
  readonly #listener: LinkListener<From>
  #mark: Mark | null = null
  /** Why it was ended from here or by its guard; null when neither did it. */
  #reason: string | null = null
  /** Milliseconds, as far as they were watched, since its guard said anything; null before it first did. */
  #silentMs: number | null = null

  constructor(module: string, setup: LinkSetup, listener: LinkListener<From>) {
    this.#listener = listener
    const child = fork(fileURLToPath(module), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
      execArgv: [...ownArguments(), `--max-old-space-size=${setup.memoryMib}`],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => process.stderr.write(chunk))
    const notes = child.stdio[guardFd] as Readable
    const heardAll = new Promise<void>((resolve) => notes.on('close', resolve))
    readLines(notes, (line) => this.#hear(JSON.parse(line) as GuardNote, setup.memoryMib))
    const watching = this.#watch(Math.max(leastSilenceMs, setup.limits.toolTimeoutMs))
    child.on('message', (message) => listener.message(message as From))
    this.over = new Promise((resolve) => {
      const ended = async (why: string) => {
        clearInterval(watching)
        await Promise.race([heardAll, new Promise((late) => setTimeout(late, lastWordsMs))])
        resolve()
        listener.ended({ why: this.#reason ?? why, mark: this.#mark })
      }
      child.once(
        'exit',
        (code, signal) => void ended(signal === null ? `it exited with ${code}` : `${signal} ended it`),
      )
      child.once('error', (error) => {
        if (child.pid === undefined) void ended(error.message)
      })
    })
    this.#send({ kind: 'setup', ...setup, marks: null })
    this.setBusy(false)
  }

  post(message: To): void {
    this.#send(message)
  }

  #send(message: object): void {
    // One that has just ended cannot be told anything; that it has ended is heard elsewhere.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  setBusy(busy: boolean): void {
    const { channel, stdout, stderr, stdio } = this.#child
    const handles = [this.#child, channel, stdout, stderr, stdio[guardFd]] as ({ ref(): void; unref(): void } | null)[]
    for (const handle of handles) {
      if (busy) handle?.ref()
      else handle?.unref()
    }
  }

  async kill(): Promise<boolean> {
    // Its end is waited for, and is heard of only from a handle that is held.
    this.setBusy(true)
    this.#child.kill('SIGKILL')
    await this.over
    return true
  }

  /** Ends a process whose guard has fallen silent: not stuck, which a guard would tell, but stopped as a whole. */
  #watch(limitMs: number): NodeJS.Timeout {
    let lookedAt = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      // While this process slept itself it could not hear anything.
      const passed = Math.min(now - lookedAt, 2 * aliveEveryMs)
      lookedAt = now
      if (this.#silentMs === null) return
      this.#silentMs += passed
      if (this.#silentMs < limitMs) return
      this.#reason ??= `it gave no sign of life for ${limitMs} ms`
      this.#child.kill('SIGKILL')
    }, aliveEveryMs)
    return timer.unref()
  }

  #hear(note: GuardNote, memoryMib: number): void {
    this.#silentMs = 0
    switch (note.kind) {
      case 'within':
        this.#mark = note.mark.slot === 0 ? null : note.mark
        break
      case 'slow':
        this.#listener.slow()
        break
      case 'hung':
        this.#listener.hung(note)
        break
      case 'memory':
        this.#mark = note.mark
        this.#reason = `it held more than ${memoryMib} MiB`
    }
  }
}

/** Node's flags of this process, without those that only one process can have. */
function ownArguments(): readonly string[] {
  return process.execArgv.filter((word) => !/^--(inspect|max-old-space-size|cpu-prof|heap-prof)/.test(word))
}

function readLines(stream: Readable, take: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

/** Starts a process that is told `setup` first. */
export function openProcess<To extends object, From>(
  module: string,
  setup: LinkSetup,
  listener: LinkListener<From>,
): ShardLink<To> {
  return new ProcessLink<To, From>(module, setup, listener)
}

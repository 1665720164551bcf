import type { Readable, Writable } from 'node:stream'
import { isPromise } from '../../rollout/deadline.ts'
import type { Session } from '../session.ts'
import { assumedVersion, joinAnswers, readMessages } from './mcp-batch.ts'
import { failureText, type McpAnswer, McpDialog } from './mcp-dialog.ts'
import { McpFailure } from './mcp-failure.ts'

export interface StdioOptions {
  readonly session: Session
  readonly input: Readable
  /** Gets one JSON-RPC message per line and nothing else. */
  readonly output: Writable
  /** Longest line, in bytes. Default 4 MiB. */
  readonly maxLineBytes?: number
  /** Ends the dialog before its input ends. */
  readonly signal?: AbortSignal
}

/** Requests without an answer beyond which no more are read: each is held until its turn comes. */
const mostPending = 256

/**
 * MCP over stdio for one client. Resolves when the input has ended and everything that was asked is answered, when the
 * output is closed, or at the signal. Does not close the session.
 *
 * @see MCP 2025-11-25, basic/transports, "stdio".
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { session, input, output, maxLineBytes = 4 * 1024 ** 2, signal } = options
  const dialog = new McpDialog(session, session.surface)
  const pending = new Set<Promise<void>>()
  const gone = new AbortController()
  const leave = () => gone.abort()
  output.once('error', leave).once('close', leave)
  signal?.addEventListener('abort', leave, { once: true })
  if (signal?.aborted) leave()
  gone.signal.addEventListener('abort', () => input.destroy(), { once: true })
  const say = (answer: McpAnswer) => {
    if (answer !== null && !gone.signal.aborted) output.write(`${answer}\n`)
  }
  const answerLine = (line: string) => {
    const answer = answered(dialog, line)
    if (!(answer instanceof Promise)) return say(answer)
    const saying = answer.then(say).finally(() => pending.delete(saying))
    pending.add(saying)
  }
  const lines = new LineSplitter(maxLineBytes, answerLine, () =>
    say(unreadable(`a line is longer than ${maxLineBytes} bytes`)),
  )
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      lines.push(chunk)
      if (output.writableNeedDrain) await drained(output, gone.signal)
      while (pending.size > mostPending) await Promise.race(pending)
    }
  } catch (cause) {
    if (!gone.signal.aborted) throw cause
  }
  if (!gone.signal.aborted) lines.end()
  await Promise.all(pending)
}

function answered(dialog: McpDialog, line: string): McpAnswer | Promise<McpAnswer> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return unreadable('Invalid JSON')
  }
  try {
    const answers = readMessages(value, dialog.version ?? assumedVersion).map((message) => dialog.answer(message))
    return answers.some(isPromise) ? Promise.all(answers).then(joinAnswers) : joinAnswers(answers as McpAnswer[])
  } catch (thrown) {
    return failureText(null, thrown)
  }
}

function unreadable(why: string): string {
  return failureText(null, new McpFailure('parseError', `Parse error: ${why}`))
}

function drained(output: Writable, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      output.off('drain', go)
      gone.removeEventListener('abort', go)
      resolve()
    }
    output.once('drain', go)
    gone.addEventListener('abort', go, { once: true })
    if (gone.aborted) go()
  })
}

/** Cuts a stream of bytes into lines, none of which is held beyond its limit. */
class LineSplitter {
  readonly #limit: number
  readonly #onLine: (line: string) => void
  readonly #onTooLong: () => void
  #parts: Buffer[] = []
  #size = 0
  #skipping = false

  constructor(limit: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#limit = limit
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  push(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end))
      this.end()
      from = end + 1
    }
    this.#keep(chunk.subarray(from))
  }

  /** What is there is a line. */
  end(): void {
    const line = Buffer.concat(this.#parts).toString('utf8').trim()
    const skipped = this.#skipping
    this.#parts = []
    this.#size = 0
    this.#skipping = false
    if (!skipped && line !== '') this.#onLine(line)
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return
    this.#size += part.length
    this.#parts.push(part)
    if (this.#size <= this.#limit) return
    this.#parts = []
    this.#skipping = true
    this.#onTooLong()
  }
}

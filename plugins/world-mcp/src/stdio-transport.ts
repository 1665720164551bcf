import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { MessageLines } from './message-lines.ts'
import type { ProcessReaper } from './process-reaper.ts'
import { TextTail } from './text-tail.ts'

export interface StdioCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | null
}

/** What a process needs to run at all; everything else of this process's environment stays here. */
const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'SYSTEMROOT', 'TEMP']

/** Characters of stderr, and of what else was said on stdout, that are kept for messages. */
const keptChars = 2_000
const maxMessageBytes = 32 * 1024 * 1024
/** Milliseconds that a server has to end after its input has ended, and again after SIGTERM. */
const graceMs = 500

/**
 * A server process and its standard streams. Other than the SDK's own transport it runs in a process group that is ended
 * as a whole, inherits no environment, keeps stderr in bounds, and lets the server write to stdout what is no protocol.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void
  readonly #command: StdioCommand
  readonly #reaper: ProcessReaper
  readonly #stderr = new TextTail(keptChars)
  readonly #noise = new TextTail(keptChars)
  readonly #lines = new MessageLines(maxMessageBytes)
  #process: ChildProcessWithoutNullStreams | null = null
  #ended: Promise<void> = Promise.resolve()
  #ending = ''
  #broken: string | null = null

  constructor(command: StdioCommand, reaper: ProcessReaper) {
    this.#command = command
    this.#reaper = reaper
  }

  /** @throws {Error} of the system when the command cannot be started. */
  start(): Promise<void> {
    const { command, args, env, cwd } = this.#command
    const base = inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
    const child = spawn(command, args, {
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: 'pipe',
      env: { ...Object.fromEntries(base), ...env },
      ...(cwd === null ? {} : { cwd }),
    })
    this.#process = child
    if (child.pid !== undefined) this.#reaper.watch(child.pid)
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.add(chunk))
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', (error) => this.onerror?.(error))
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#ending = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`
        this.#killGroup()
      })
      child.once('close', () => {
        resolve()
        this.onclose?.()
      })
    })
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#process?.stdin
      if (stdin === undefined || !stdin.writable) return reject(new Error('its standard input is closed'))
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Ends the input, then the whole process group, step by step. Resolves when nothing of it is left. */
  async close(): Promise<void> {
    const child = this.#process
    if (child === null || child.pid === undefined) return
    child.stdin.end()
    if (await this.#endsWithin(graceMs)) return
    this.#signal('SIGTERM')
    if (await this.#endsWithin(graceMs)) return
    this.#signal('SIGKILL')
    await this.#endsWithin(graceMs)
  }

  /** For messages: how the process ended, if it did, and the last it said. */
  describe(): string {
    const parts = [this.#broken ?? '', this.#ending]
    if (this.#stderr.line !== '') parts.push(`its stderr ends: ${this.#stderr.line}`)
    if (this.#noise.line !== '') parts.push(`its stdout held what is no JSON-RPC: ${this.#noise.line}`)
    return parts.filter((part) => part !== '').join('; ')
  }

  /** Whether the server wrote something to stdout that is no protocol. */
  get isNoisy(): boolean {
    return this.#noise.line !== ''
  }

  #read(chunk: Buffer): void {
    if (this.#broken !== null) return
    try {
      for (const line of this.#lines.add(chunk)) if (line !== '') this.#take(line)
    } catch (cause) {
      this.#broken = `it wrote ${cause instanceof Error ? cause.message : String(cause)}`
      this.#signal('SIGKILL')
    }
  }

  #take(line: string): void {
    const value = parsed(line)
    const message = JSONRPCMessageSchema.safeParse(value)
    const id = answeredId(value)
    if (message.success) this.onmessage?.(message.data)
    else if (id === null) this.#noise.add(Buffer.from(`${line}\n`))
    // The waiting call must not wait for a better answer: there is none.
    else this.onmessage?.({ jsonrpc: '2.0', id, error: unreadable(line) })
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const stop = new AbortController()
    const late = sleep(ms, false, { signal: stop.signal }).catch(() => false)
    const ended = await Promise.race([this.#ended.then(() => true), late])
    stop.abort()
    return ended
  }

  /** What the server started must end with it, or it would hold its streams open. */
  #killGroup(): void {
    this.#signal('SIGKILL')
    const group = this.#process?.pid
    if (group !== undefined) this.#reaper.forget(group)
  }

  #signal(signal: NodeJS.Signals): void {
    const child = this.#process
    if (child?.pid === undefined) return
    if (process.platform === 'win32') return void child.kill(signal)
    try {
      process.kill(-child.pid, signal)
    } catch (cause) {
      if (!isGone(cause)) throw cause
    }
  }
}

const unreadable = (line: string) => {
  return { code: ErrorCode.InternalError, message: `the answer is no JSON-RPC: ${line.slice(0, 200)}` }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The id of what would be an answer if it were well formed. */
function answeredId(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || 'method' in value) return null
  const id: unknown = Reflect.get(value, 'id')
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function isGone(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ESRCH'
}

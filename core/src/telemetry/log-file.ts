import { appendFileSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * A file of log lines. Each is with the operating system when `write` returns, so that none is lost when the process
 * ends. A line that cannot be written (full disk) is dropped and counted: a log must not stop or delay what it is about.
 */
export class LogFile {
  readonly #descriptor: number
  #lostLines = 0

  /** @throws an error of the file system when the file cannot be opened. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    this.#descriptor = openSync(path, 'a')
  }

  get lostLines(): number {
    return this.#lostLines
  }

  write(line: string): void {
    try {
      appendFileSync(this.#descriptor, line)
    } catch {
      this.#lostLines += 1
    }
  }

  /** Puts everything on the disk, as far as the disk takes it. */
  close(): void {
    try {
      fsyncSync(this.#descriptor)
    } catch {
      this.#lostLines += 1
    } finally {
      closeSync(this.#descriptor)
    }
  }
}

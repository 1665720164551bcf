import { Writable } from 'node:stream'
import { reserveStdout } from '../reserved-stdout.ts'

/** The process's stdout for protocol messages alone. */
export interface ProtocolStdout {
  readonly output: Writable
  /** Gives stdout back. */
  release(): void
}

/**
 * Takes stdout for a protocol: what a configuration, a plugin or a dependency prints goes to stderr from now on. The
 * stream ends in an error when the reader has gone.
 */
export function takeStdout(): ProtocolStdout {
  const { stdout } = process
  const write = stdout.write.bind(stdout)
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      write(chunk, (error) => done(error ?? null))
    },
  })
  const fail = (error: Error) => void output.destroy(error)
  stdout.on('error', fail)
  output.on('error', () => undefined)
  const release = reserveStdout()
  return {
    output,
    release: () => {
      stdout.off('error', fail)
      release()
    },
  }
}

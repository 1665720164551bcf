import { Writable } from 'node:stream'
import { reserveStdout } from '../reserved-stdout.ts'

/**
 * Takes stdout for a protocol, to the end of the process: what a configuration, a plugin or a dependency prints goes to
 * stderr from now on. The stream ends in an error when the reader has gone.
 */
export function takeStdout(): Writable {
  const { stdout } = process
  const write = stdout.write.bind(stdout)
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      write(chunk, (error) => done(error ?? null))
    },
  })
  stdout.on('error', (error) => void output.destroy(error))
  output.on('error', () => undefined)
  reserveStdout()
  return output
}

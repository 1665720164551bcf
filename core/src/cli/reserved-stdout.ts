/**
 * Keeps stdout for one document: until released, whatever a configuration, a plugin or a dependency of one prints there
 * goes to stderr.
 *
 * @returns releases it; calling it again does nothing.
 */
export function reserveStdout(): () => void {
  const { stdout, stderr } = process
  const write = Object.getOwnPropertyDescriptor(stdout, 'write')
  stdout.write = stderr.write.bind(stderr)
  return () => {
    Reflect.deleteProperty(stdout, 'write')
    if (write !== undefined) Object.defineProperty(stdout, 'write', write)
  }
}

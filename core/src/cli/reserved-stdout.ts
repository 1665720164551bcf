/**
 * Keeps stdout for one document: until released, whatever a configuration, a plugin or a dependency of one prints there
 * goes to stderr.
 *
 * @returns releases it; calling it again does nothing.
 */
export function reserveStdout(): () => void {
  const { stdout, stderr } = process
  const before = Object.getOwnPropertyDescriptor(stdout, 'write')
  const write = stdout.write.bind(stdout)
  // An empty text says nothing: whoever writes it waits for what was written before.
  stdout.write = (chunk, ...rest) => (chunk === '' ? write : stderr.write.bind(stderr))(chunk, ...(rest as []))
  return () => {
    Reflect.deleteProperty(stdout, 'write')
    if (before !== undefined) Object.defineProperty(stdout, 'write', before)
  }
}

import { connect } from 'node:net'

/** Sends bytes as they are and returns what comes back until the server or `ms` ends it. */
export function rawExchange(
  port: number,
  text: string,
  ms = 5_000,
): Promise<{ readonly text: string; readonly closed: boolean }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    const timer = setTimeout(() => {
      resolve({ text: received, closed: false })
      socket.destroy()
    }, ms)
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve({ text: received, closed: true })
    })
    socket.write(text)
  })
}

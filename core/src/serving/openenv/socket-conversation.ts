import type { WebSocket } from 'ws'

/** Most messages that wait for their turn; while more come, nothing is read from the socket. */
const mostWaiting = 4

/** Milliseconds that a refused client has to read why, from its first message at the latest. */
const refusalMs = 2_000

export interface Conversation {
  /** Answers one text message, null for a binary one; a null answer ends the conversation. Never rejects. */
  answer(text: string | null, gone: AbortSignal): Promise<string | null>
  /** The socket is closed, whoever closed it. Called once. */
  ended(): Promise<void>
}

/** Answers the messages of a socket one at a time, in order. The signal of what is under way tells that the peer is gone. */
export function converse(socket: WebSocket, { answer, ended }: Conversation): void {
  const gone = new AbortController()
  const waiting: (string | null)[] = []
  let isBusy = false
  const work = async () => {
    isBusy = true
    while (waiting.length > 0 && !gone.signal.aborted) {
      const reply = await answer(waiting.shift() as string | null, gone.signal)
      if (reply === null) return socket.close(1000)
      await sent(socket, reply)
      if (waiting.length <= mostWaiting && socket.isPaused) socket.resume()
    }
    isBusy = false
  }
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    waiting.push(isBinary ? null : data.toString())
    if (waiting.length > mostWaiting) socket.pause()
    if (!isBusy) void work()
  })
  socket.once('close', () => {
    gone.abort(new Error('the client is gone'))
    void ended()
  })
}

/** Says why a client cannot come in, and closes when it can have read so: after its first message, or a moment later. */
export function refuse(socket: WebSocket, frame: string): void {
  const close = () => socket.close(1000)
  const timer = setTimeout(close, refusalMs).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.once('message', close)
  socket.send(frame, () => undefined)
}

/** Resolves when the message has left, or cannot leave any more. */
function sent(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) => socket.send(text, () => resolve()))
}

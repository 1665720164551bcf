import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { inspectable, MemoryProbe } from './live-memory.ts'
import { ServedBundles } from './served-bundles.ts'

const capacity = 64
const connections = 10_000
/** At a time, so that the machine's own limits play no part. */
const wave = 50

/** Connections after which caches are full and memory must not grow any more. */
const warmUp = 2_500
/** About 500 bytes for each of the connections that follow: less than the smallest thing that one could leave behind. */
const mostGrownLiveMib = 4
/** Worlds hold memory of SQLite's, which the live heap does not show: about 13 KiB for each, less than any world has. */
const mostGrownResidentMib = 96

let served: ServedBundles
let probe: MemoryProbe
beforeAll(async () => {
  const flags = ['--openenv', 'client', '--capacity', String(capacity)]
  served = await ServedBundles.start({ flags, variables: inspectable })
  const [, address = ''] = await served.said(/Debugger listening on (\S+)/)
  probe = await MemoryProbe.connect(address, served.pid)
})
afterAll(async () => {
  probe?.close()
  await served?.stop()
})

const resetFrame = '{"type":"reset","data":{"seed":1}}'

/** Opens a connection and leaves it in one of the ways in which clients do. */
async function abandon(index: number): Promise<void> {
  const socket = new WebSocket(`${served.url.replace('http', 'ws')}/openenv/ws`)
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.once('open', () => {
    const way = index % 5
    if (way === 0) return socket.terminate()
    socket.send(way === 1 ? '{"type":' : resetFrame)
    if (way === 2) return socket.terminate()
    if (way === 3) return socket.close()
    socket.once('message', () => socket.terminate())
  })
  await closed
}

async function taken(): Promise<number> {
  const text = await (await fetch(`${served.url}/metrics`)).text()
  const value = /^rlenv_sessions_taken (\d+)$/m.exec(text)?.[1]
  if (value === undefined) throw new Error(`no count of taken places in\n${text}`)
  return Number(value)
}

async function untilEmpty(): Promise<void> {
  const until = performance.now() + 20_000
  while ((await taken()) > 0) {
    if (performance.now() > until) throw new Error('sessions are left over')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function abandonMany(count: number): Promise<void> {
  for (let begun = 0; begun < count; begun += wave)
    await Promise.all(Array.from({ length: wave }, (_, index) => abandon(begun + index)))
  await untilEmpty()
}

test('10,000 connections opened and abandoned leave the capacity whole and memory flat', {
  timeout: 400_000,
}, async () => {
  await abandonMany(warmUp)
  const before = await probe.look()
  await abandonMany(connections - warmUp)
  const after = await probe.look()
  expect(after.liveMib - before.liveMib).toBeLessThan(mostGrownLiveMib)
  expect((after.residentMib ?? 0) - (before.residentMib ?? 0)).toBeLessThan(mostGrownResidentMib)
  const sockets = await Promise.all(
    Array.from({ length: capacity }, async () => {
      const socket = new WebSocket(`${served.url.replace('http', 'ws')}/openenv/ws`)
      await once(socket, 'open')
      const answered = once(socket, 'message')
      socket.send(resetFrame)
      const [data] = (await answered) as [Buffer]
      expect(JSON.parse(data.toString())).toMatchObject({ type: 'observation' })
      return socket
    }),
  )
  expect(await taken()).toBe(capacity)
  for (const socket of sockets) socket.terminate()
  await untilEmpty()
})

test('handshakes that are cut off half-way leave nothing behind', async () => {
  const port = Number(new URL(served.url).port)
  for (let index = 0; index < 500; index++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write('GET /openenv/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n')
    socket.destroy()
  }
  await untilEmpty()
  expect((await fetch(`${served.url}/openenv/health`)).status).toBe(200)
})

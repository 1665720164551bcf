import { describe, expect, test } from 'vitest'
import type { WorldInstance } from '../../src/hooks/world.ts'
import { Gate, GatedWorld } from './gated-world.ts'
import { control, library, mcpClient, openBroker, serveLibrary } from './served-library.ts'

const wanted = { environmentId: library.id, taskId: library.tasks[0]!.id }
const write = library.tasks[0]!.gold.calls.at(-1)!

/** A world whose one tool gives up when the session ends, as those of other processes do. */
const givingUp = (stop: (signal: AbortSignal) => Promise<never>, under: Gate) => ({
  name: 'giving-up',
  open: (): WorldInstance => ({
    tools: [{ name: 'wait', description: 'Waits.', inputSchema: { type: 'object' }, readOnly: true }],
    call: (_name, _args, signal) => {
      void under.wait()
      return stop(signal)
    },
    capture: () => null,
    close: () => undefined,
  }),
  close: () => undefined,
})

const aborted = (signal: AbortSignal) => {
  return new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the tool was aborted')), { once: true })
  })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

describe('a call whose session is deleted', () => {
  test('while it is under way says so, and blames nobody', async () => {
    const under = new Gate()
    const server = await serveLibrary({ world: givingUp(aborted, under) })
    const { handle } = await server.broker.open(wanted)
    const client = await mcpClient(server.mcpUrl(handle))
    const calling = client.callTool({ name: 'wait', arguments: {} })
    await until(() => under.waiting === 1)
    expect((await control(server, 'DELETE', `/sessions/${handle}`)).body).toEqual({ closed: true })
    expect(await calling).toMatchObject({
      isError: true,
      structuredContent: {
        error: { kind: 'timeout', message: 'wait was under way when its session was closed' },
      },
    })
    await expect(client.callTool({ name: 'wait', arguments: {} })).rejects.toThrow('no open session')
  })

  test('before its turn came says that it was not made', async () => {
    const call = new Gate()
    const broker = await openBroker({ world: new GatedWorld({ call }) })
    const session = await broker.open(wanted)
    const first = session.call(write.tool, write.arguments)
    const second = session.call(write.tool, write.arguments)
    const closing = broker.close(session.handle)
    call.open()
    await closing
    await first
    expect((await second).text).toContain(`${write.tool} was not made, because its session was closed first`)
  })

  test('and that wrote all the same is told so, and its write is kept once', async () => {
    const call = new Gate()
    const broker = await openBroker({ world: new GatedWorld({ call, ignoresEnd: true }) })
    const session = await broker.open(wanted)
    const writing = session.call(write.tool, write.arguments)
    const closing = broker.close(session.handle)
    call.open()
    await closing
    const written = await writing
    const alone = await (await (await openBroker()).open(wanted)).call(write.tool, write.arguments)
    expect(written.result).toEqual(alone.result)
    expect(session.calls.flatMap(({ diff }) => diff)).toEqual(alone.diff)
  })

  test('and that a tool refuses keeps its own reason', async () => {
    const call = new Gate()
    const broker = await openBroker({ world: new GatedWorld({ call }) })
    const session = await broker.open(wanted)
    const calling = session.call(write.tool, { nonsense: true })
    const closing = broker.close(session.handle)
    call.open()
    await closing
    expect((await calling).result).toMatchObject({ ok: false, error: { kind: 'invalid_arguments' } })
  })
})

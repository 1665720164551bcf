import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { World } from '../../../src/hooks/world.ts'
import { eventually, openDoor, TestClient, type TestDoorOptions } from './door.ts'
import { slowWorld } from './slow-world.ts'

async function withDoor(options: TestDoorOptions, test: (door: Awaited<ReturnType<typeof openDoor>>) => Promise<void>) {
  const door = await openDoor(options)
  try {
    await test(door)
  } finally {
    await door.close()
  }
}

describe('connections', () => {
  it('end with the session and its world, whether said so, closed or cut off', async () => {
    await withDoor({}, async (door) => {
      const clients = await Promise.all([1, 2, 3].map(() => TestClient.connect(`${door.ws}/ws`)))
      for (const client of clients) await client.reply({ type: 'reset', data: {} })
      expect(door.broker.counts.open).toBe(3)
      const [polite, plain, rude] = clients as [TestClient, TestClient, TestClient]
      const closed = once(polite.socket, 'close')
      polite.send({ type: 'close' })
      expect((await closed)[0]).toBe(1000)
      await plain.close()
      rude.socket.terminate()
      await eventually(() => door.broker.counts.taken === 0)
    })
  })

  it('opened and abandoned at any point leave the capacity whole', { timeout: 20_000 }, async () => {
    await withDoor({ broker: { capacity: 16 } }, async (door) => {
      for (let round = 0; round < 40; round++) {
        const sockets = Array.from({ length: 12 }, () => new WebSocket(`${door.ws}/${round % 2 ? 'awm/ws' : 'ws'}`))
        const ended = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
        for (const [index, socket] of sockets.entries()) {
          socket.on('error', () => undefined)
          if (index % 4 === 0) socket.terminate()
          socket.once('open', () => {
            socket.send('{"type":"reset","data":{"scenario":"library_1"}}')
            if (index % 4 === 1) socket.terminate()
            if (index % 4 === 2) socket.close()
          })
          socket.once('message', () => socket.terminate())
        }
        await Promise.all(ended)
      }
      await eventually(() => door.broker.counts.taken === 0)
      const all = await Promise.all(Array.from({ length: 16 }, () => TestClient.connect(`${door.ws}/ws`)))
      for (const client of all) await client.reply({ type: 'reset', data: {} })
      await Promise.all(all.map((client) => client.close()))
    })
  })

  it('beyond the capacity are told so in the answer to their first request, and closed', async () => {
    await withDoor({ broker: { capacity: 2 } }, async (door) => {
      const first = await TestClient.connect(`${door.ws}/ws`)
      await first.reply({ type: 'reset', data: {} })
      const idle = await TestClient.connect(`${door.ws}/ws`)
      const refused = await TestClient.connect(`${door.ws}/ws`)
      const closed = once(refused.socket, 'close')
      expect(await refused.ask({ type: 'reset' })).toMatchObject({
        type: 'error',
        data: { code: 'CAPACITY_REACHED', active_sessions: 2, max_sessions: 2 },
      })
      expect((await closed)[0]).toBe(1000)
      await idle.close()
      await eventually(() => door.broker.counts.taken === 1)
      const welcome = await TestClient.connect(`${door.ws}/ws`)
      await welcome.reply({ type: 'reset', data: {} })
      await Promise.all([first.close(), welcome.close()])
    })
  })

  it('wait in line at a reset for as long as they may, and can try again', async () => {
    await withDoor({ broker: { capacity: 2 }, openenv: { queueTimeoutMs: 60 } }, async (door) => {
      const client = await TestClient.connect(`${door.ws}/ws`)
      const others = await Promise.all([0, 1].map(() => door.broker.open({ environmentId: 'library-1' })))
      expect(await client.ask({ type: 'reset' })).toMatchObject({ type: 'error', data: { code: 'CAPACITY_REACHED' } })
      for (const { handle } of others) await door.broker.close(handle)
      expect(await client.ask({ type: 'reset' })).toMatchObject({ type: 'observation' })
      await client.close()
    })
  })

  it('leave the line when they go away', async () => {
    await withDoor({ broker: { capacity: 2 } }, async (door) => {
      const client = await TestClient.connect(`${door.ws}/ws`)
      const others = await Promise.all([0, 1].map(() => door.broker.open({ environmentId: 'library-1' })))
      client.send({ type: 'reset' })
      await eventually(() => door.broker.counts.queued === 1)
      client.socket.terminate()
      await eventually(() => door.broker.counts.queued === 0)
      for (const { handle } of others) await door.broker.close(handle)
      await eventually(() => door.broker.counts.taken === 0)
    })
  })

  it('answer malformed frames and go on', async () => {
    await withDoor({}, async (door) => {
      const client = await TestClient.connect(`${door.ws}/ws`)
      await client.reply({ type: 'reset', data: {} })
      client.socket.send('{"type":"step",')
      expect(await client.next()).toMatchObject({ type: 'error', data: { code: 'INVALID_JSON' } })
      client.socket.send(Buffer.from('{"type":"state"}'), { binary: true })
      expect(await client.next()).toMatchObject({ type: 'error', data: { code: 'INVALID_JSON' } })
      expect(await client.ask({ type: 'nonsense' })).toMatchObject({ type: 'error', data: { code: 'UNKNOWN_TYPE' } })
      expect(await client.ask({ type: 'step' })).toMatchObject({ type: 'error', data: { code: 'VALIDATION_ERROR' } })
      expect(await client.ask({ type: 'state' })).toMatchObject({ type: 'state' })
      await client.close()
    })
  })

  it('answer each of any frames with one frame, and go on', { timeout: 20_000 }, async () => {
    const tool = fc.constantFrom(
      'find_member',
      'lend_book',
      'verify',
      'done',
      '__list_scenarios__',
      'nope',
      '__proto__',
    )
    const call = fc.record({
      type: fc.constant('call_tool'),
      tool_name: tool,
      arguments: fc.dictionary(fc.string(), fc.jsonValue()),
    })
    const frame = fc.oneof(
      fc.record({
        type: fc.constant('reset'),
        data: fc.constantFrom({}, { scenario: 'library_1', task_idx: 0 }, { seed: 'x' }),
      }),
      fc.record({
        type: fc.constant('step'),
        data: fc.oneof(call, fc.constantFrom({ type: 'list_tools' }, { type: 'verify' }, {})),
      }),
      fc.record(
        { type: fc.constantFrom('state', 'mcp', 'jump'), data: fc.option(fc.jsonValue(), { nil: undefined }) },
        { requiredKeys: ['type'] },
      ),
      fc.jsonValue(),
    )
    const isClose = (value: unknown) => (value as { type?: unknown } | null)?.type === 'close'
    await withDoor({}, async (door) => {
      const sequence = fc.array(
        frame.filter((value) => !isClose(value)),
        { maxLength: 12 },
      )
      const play = async (frames: readonly unknown[], path: string) => {
        const client = await TestClient.connect(door.ws + path)
        for (const value of frames) client.socket.send(JSON.stringify(value))
        client.socket.send('{"type":"state"}')
        for (let index = 0; index < frames.length; index++)
          expect(['observation', 'state', 'mcp', 'error']).toContain((await client.next()).type)
        expect(await client.next()).toMatchObject({ type: 'state', data: { step_count: expect.any(Number) } })
        await client.close()
      }
      await fc.assert(fc.asyncProperty(sequence, fc.constantFrom('/ws', '/awm/ws'), play), { numRuns: 60 })
      await eventually(() => door.broker.counts.taken === 0)
    })
  })

  it('are closed with 1009 after an oversized frame, and their place is free', async () => {
    await withDoor({ http: { maxMessageBytes: 10_000 } }, async (door) => {
      const client = await TestClient.connect(`${door.ws}/ws`)
      await client.reply({ type: 'reset', data: {} })
      const closed = once(client.socket, 'close')
      client.send({ type: 'step', data: { type: 'call_tool', tool_name: 'x'.repeat(20_000) } })
      expect((await closed)[0]).toBe(1009)
      await eventually(() => door.broker.counts.taken === 0)
    })
  })

  it('that answer no ping are cut off, and their place is free', async () => {
    await withDoor({ http: { pingMs: 40 } }, async (door) => {
      const deaf = connect(Number(new URL(door.ws).port), '127.0.0.1')
      deaf.on('error', () => undefined)
      deaf.write(
        `GET /openenv/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
      await once(deaf, 'data')
      const mask = Buffer.from([1, 2, 3, 4])
      const text = Buffer.from('{"type":"reset"}')
      const masked = text.map((byte, index) => byte ^ (mask[index % 4] as number))
      deaf.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), mask, masked]))
      await eventually(() => door.broker.counts.open === 1)
      deaf.pause()
      await eventually(() => door.broker.counts.taken === 0)
      deaf.destroy()
    })
  })

  it('are answered one request at a time, in order, however many are sent at once', async () => {
    await withDoor({ broker: { world: slowWorld(2) } }, async (door) => {
      const client = await TestClient.connect(`${door.ws}/ws`)
      client.send({ type: 'reset' })
      for (let index = 0; index < 50; index++) {
        client.send({ type: 'step', data: { type: 'call_tool', tool_name: `tool_${index}` } })
        client.send({ type: 'state' })
      }
      expect(await client.next()).toMatchObject({ type: 'observation' })
      for (let index = 0; index < 50; index++) {
        expect(await client.next()).toMatchObject({ data: { observation: { tool_name: `tool_${index}` } } })
        expect(await client.next()).toMatchObject({ data: { step_count: index + 1 } })
      }
      await client.close()
    })
  })

  it('cut off in mid-call let the call come to its end, once, before the world is closed', async () => {
    const diffs: number[] = []
    const world = slowWorld(80)
    const watched: World = {
      ...world,
      open: async (request, signal) => {
        const instance = await world.open(request, signal)
        const close = async () => {
          diffs.push((await instance.capture())?.diff.length ?? -1)
          await instance.close()
        }
        return { tools: instance.tools, capture: () => instance.capture(), call: instance.call.bind(instance), close }
      },
    }
    await withDoor({ broker: { world: watched } }, async (door) => {
      const client = await TestClient.connect(`${door.ws}/ws`)
      await client.reply({ type: 'reset', data: { task_id: 'library-1/promote' } })
      const { calls } = door.environments[0].tasks[2]?.gold ?? { calls: [] }
      const { tool, arguments: args } = calls[1] ?? { tool: '', arguments: {} }
      client.send({ type: 'step', data: { type: 'call_tool', tool_name: tool, arguments: args } })
      await new Promise((resolve) => setTimeout(resolve, 30))
      client.socket.terminate()
      await eventually(() => door.broker.counts.taken === 0)
      expect(diffs).toEqual([1])
    })
  })

  it('get an error frame when the server shuts down under them', async () => {
    await withDoor({}, async (door) => {
      const client = await TestClient.connect(`${door.ws}/ws`)
      await client.reply({ type: 'reset', data: {} })
      await door.broker.shutdown()
      for (const type of ['list_tools', 'verify'])
        expect(await client.ask({ type: 'step', data: { type } })).toMatchObject({
          type: 'error',
          data: { code: 'EXECUTION_ERROR' },
        })
      expect(await client.ask({ type: 'reset' })).toMatchObject({ type: 'error', data: { code: 'EXECUTION_ERROR' } })
      await client.close()
    })
  })

  it('are refused without the control token unless the door was opened to clients', async () => {
    const openenv = { access: 'control' } as const
    await withDoor({ openenv, http: { controlToken: 'sesame' } }, async (door) => {
      await expect(TestClient.connect(`${door.ws}/ws`)).rejects.toThrow('401')
      const address = door.ws.replace('//', '//any:sesame@')
      const wrong = door.ws.replace('//', '//sesame:wrong@')
      await expect(TestClient.connect(`${wrong}/ws`)).rejects.toThrow('401')
      for (const client of [
        await TestClient.connect(`${door.ws}/awm/ws`, { authorization: 'Bearer sesame' }),
        await TestClient.connect(`${address}/awm/ws`),
      ]) {
        await client.reply({ type: 'reset', data: { scenario: 'library_1' } })
        await client.close()
      }
    })
    await withDoor({ openenv }, async (door) => {
      await expect(TestClient.connect(`${door.ws}/ws`)).rejects.toThrow('403')
    })
  })

  it('are refused to pages of foreign origins', async () => {
    await withDoor({}, async (door) => {
      await expect(TestClient.connect(`${door.ws}/ws`, { origin: 'https://evil.example' })).rejects.toThrow('403')
    })
  })
})

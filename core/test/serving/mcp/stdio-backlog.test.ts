import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { serveStdio } from '../../../src/serving/mcp/serve-stdio.ts'
import { Gate, GatedWorld } from '../gated-world.ts'
import { library, openBroker } from '../served-library.ts'

const calls = 3_000
const { tool, arguments: args } = library.tasks[0]!.gold.calls[0]!

test('over stdio no more is read while many calls wait for their answers, and every call gets one', async () => {
  const gate = new Gate()
  const broker = await openBroker({ world: new GatedWorld({ call: gate }) })
  const session = await broker.open({ environmentId: library.id })
  let written = 0
  const client = function* () {
    for (; written < calls; written++) {
      const params = { name: tool, arguments: args }
      yield Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: written, method: 'tools/call', params })}\n`)
    }
  }
  const input = Readable.from(client(), { highWaterMark: 1 })
  const output = new PassThrough()
  const served = serveStdio({ session, input, output }).then(() => output.end())
  await expect.poll(() => gate.waiting).toBe(1)
  await expect.poll(() => written).toBeGreaterThan(250)
  for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(written).toBeLessThan(300)
  gate.open()
  const said = await text(output)
  await served
  const ids = said
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id)
  expect(ids).toEqual(Array.from({ length: calls }, (_, id) => id))
})

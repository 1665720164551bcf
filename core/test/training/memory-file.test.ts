import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SpillStore } from '../../src/artifacts/spill-store.ts'
import { readMemory, writeMemory } from '../../src/training/memory-file.ts'
import type { Json } from '../../src/vocabulary/json.ts'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-memory-'))
})
afterAll(async () => {
  await rm(root, { recursive: true, force: true })
})

let files = 0
async function written(memory: Json): Promise<{ readonly path: string; readonly hash: string }> {
  const path = join(root, `memory-${files++}.jsonl`)
  return { path, hash: await writeMemory(path, memory) }
}

describe('a memory file', () => {
  test('comes back as it was, to the order of its keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 7 }), async (value) => {
        const memory = JSON.parse(JSON.stringify(value)) as Json
        const { path, hash } = await written(memory)
        expect(JSON.stringify(await readMemory(path, hash, new SpillStore()))).toBe(JSON.stringify(memory))
      }),
      { numRuns: 60 },
    )
  })

  test('has one line per remembered thing, whatever the number', async () => {
    const rollouts = Array.from({ length: 3000 }, (_, order) => ({ order, text: 'x'.repeat(500) }))
    const memory = { replay: { nextOrder: 3000, tasks: { 'shop/t1': rollouts, 'shop/t2': [] } } }
    const { path, hash } = await written(memory)
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(700)
    expect(await readMemory(path, hash, new SpillStore())).toEqual(memory)
  })

  test('that was changed is refused', async () => {
    const { path } = await written({ replay: 1 })
    await expect(readMemory(path, 'another hash', new SpillStore())).rejects.toThrow(
      'it is not the one that was written',
    )
  })

  test('holds what JSON would of properties and entries that are undefined', async () => {
    const buffer = new SpillStore()
    const memory = {
      plugin: { none: undefined, list: [undefined, 1], kept: buffer.keep(undefined), deep: [[[[{ a: undefined }]]]] },
    }
    const { path, hash } = await written(memory as unknown as Json)
    const back = await readMemory(path, hash, buffer)
    expect(JSON.stringify(back)).toBe('{"plugin":{"list":[null,1],"kept":null,"deep":[[[[{}]]]]}}')
  })

  test('that cannot be JSON is the fault of the plugin that remembers it', async () => {
    const round: Record<string, unknown> = {}
    round.self = round
    for (const odd of [{ big: 1n }, { list: [new SpillStore().keep(round)] }]) {
      await expect(written({ mine: odd } as unknown as Json)).rejects.toMatchObject({
        code: 'RLENV_PLUGIN_RETURNED_INVALID',
        plugin: 'mine',
        message: expect.stringMatching(/^what is remembered at mine\/\S+ cannot be saved: /),
      })
    }
  })
})

import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isKept, SpillStore } from '../../src/artifacts/spill-store.ts'
import type { Kept } from '../../src/hooks/plugin.ts'

let root = ''
let directory = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-spill-'))
  directory = join(root, 'spilled')
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

function storeOf(memoryBytes: number, segmentBytes?: number): SpillStore {
  const store = new SpillStore()
  store.open({ directory, memoryBytes, ...(segmentBytes === undefined ? {} : { segmentBytes }) })
  return store
}

/** A value of about so many bytes. */
const text = (index: number, bytes = 1000) => ({ index, text: `${index} `.repeat(bytes).slice(0, bytes) })
const readAll = (kept: readonly Kept<unknown>[]) => kept.map((one) => one.read())
const filesOf = async () => (existsSync(directory) ? (await readdir(directory)).sort() : [])

describe('what is kept', () => {
  test('lies in memory as far as the budget goes, and touches no disk then', async () => {
    const store = storeOf(1e6)
    const value = text(0)
    const kept = store.keep(value)
    expect(kept.read()).toBe(value)
    expect(store.usage.memoryBytes).toBeGreaterThan(1000)
    expect(await filesOf()).toEqual([])
  })

  test('is moved to the disk beyond the budget, the longest kept first', async () => {
    const store = storeOf(5_000)
    const values = Array.from({ length: 20 }, (_, index) => text(index))
    const kept = values.map((value) => store.keep(value))
    expect(store.usage.memoryBytes).toBeLessThanOrEqual(5_000)
    expect(store.usage.values).toBe(20)
    expect(store.usage.diskBytes).toBeGreaterThan(14_000)
    expect(readAll(kept)).toEqual(values)
    expect(kept[19]?.read()).toBe(values[19])
    expect(kept[0]?.read()).not.toBe(values[0])
  })

  test('comes back to the bit, whatever it is', () => {
    const store = storeOf(0)
    fc.assert(
      fc.property(fc.anything({ withTypedArray: true, withBigInt: true, withSparseArray: true }), (value) => {
        const kept = store.keep({ value })
        expect(kept.read()).toEqual({ value })
        kept.release()
      }),
      { numRuns: 300 },
    )
    const odd = {
      numbers: [-0, Number.NaN, Number.NEGATIVE_INFINITY, 5e-324, 0.1 + 0.2],
      logProbs: [Math.fround(-0.1)],
    }
    const typed = {
      ids: Int32Array.of(1, -1),
      half: Float32Array.of(0.1),
      full: Float64Array.of(0.1),
      at: new Date(0),
      none: undefined,
    }
    const back = store.keep({ ...odd, ...typed }).read()
    expect(back.numbers.every((number, index) => Object.is(number, odd.numbers[index]))).toBe(true)
    expect(back).toStrictEqual({ ...odd, ...typed })
    expect(Object.keys(back)).toEqual(['numbers', 'logProbs', 'ids', 'half', 'full', 'at', 'none'])
  })

  test('holds what occurs twice in it once', () => {
    const message = { role: 'user', content: 'x'.repeat(1000) }
    const back = storeOf(0).keep({ first: message, second: message }).read()
    expect(back.first).toBe(back.second)
  })

  test('may be larger than the budget, or than a file', () => {
    const store = storeOf(100, 500)
    const values = [text(0, 4000), text(1, 4000)]
    expect(readAll(values.map((value) => store.keep(value)))).toEqual(values)
  })

  test('stands for itself as JSON and is kept once', () => {
    const store = storeOf(0)
    const kept = store.keep({ a: [1, null] })
    expect(JSON.stringify({ kept })).toBe('{"kept":{"a":[1,null]}}')
    expect(isKept(kept)).toBe(true)
    expect(store.keep<unknown>(kept)).toBe(kept)
    expect(store.usage.values).toBe(1)
  })

  test('by another store is taken over', () => {
    const other = new SpillStore().keep(text(1))
    const own = storeOf(0).keep(other)
    expect(own).not.toBe(other)
    expect(own.read()).toEqual(text(1))
  })

  test('must be data', () => {
    const noData = (message: string) =>
      expect.objectContaining({ code: 'RLENV_PLUGIN_RETURNED_INVALID', message: expect.stringContaining(message) })
    // At once, whatever the budget, so that it is whoever kept it that hears of it.
    const opaque = [{ run: () => 1 }, Promise.resolve(), new Map([[1, 2]]), storeOf(1e9).keep({ a: 1 })]
    for (const value of opaque) {
      expect(() => storeOf(1e9).keep({ list: [1, value] })).toThrow(
        noData('shows no data, such as a function or a Map'),
      )
    }
  })
})

describe('what is released', () => {
  test('cannot be read any more and leaves memory and disk', async () => {
    const store = storeOf(5_000, 10_000)
    const kept = Array.from({ length: 60 }, (_, index) => store.keep(text(index)))
    expect((await filesOf()).length).toBeGreaterThan(4)
    for (const one of kept) one.release()
    expect(() => kept[0]?.read()).toThrow('this value was released')
    expect(store.usage).toMatchObject({ values: 0, memoryBytes: 0 })
    expect((await filesOf()).length).toBeLessThanOrEqual(1)
  })

  test('leaves no more than about twice of what is kept on the disk', () => {
    const store = storeOf(0, 10_000)
    const kept: { readonly index: number; readonly value: Kept<unknown> }[] = []
    for (let index = 0; index < 400; index++) {
      kept.push({ index, value: store.keep(text(index)) })
      // Every seventh stays for good, so that no file ever becomes empty by itself.
      const old = kept.findIndex(({ index: other }) => other % 7 !== 0)
      if (kept.length > 30 && old !== -1) kept.splice(old, 1)[0]?.value.release()
    }
    const live = kept.length * 1030
    expect(store.usage.diskBytes).toBeLessThan(2 * live + 20_000)
    expect(kept.map(({ value }) => value.read())).toEqual(kept.map(({ index }) => text(index)))
  })

  test('stays readable for holds that began before, and is gone with the last of them', () => {
    const store = storeOf(0)
    const kept = store.keep(text(0))
    const [first, second] = [store.hold(), store.hold()]
    kept.release()
    const third = store.hold()
    first()
    first()
    expect(kept.read()).toEqual(text(0))
    second()
    expect(() => kept.read()).toThrow('released')
    third()
    expect(store.usage.values).toBe(0)
  })

  test('can be kept again while a hold has it', () => {
    const store = storeOf(0)
    const kept = store.keep(text(0))
    const end = store.hold()
    kept.release()
    expect(store.keep<unknown>(kept)).toBe(kept)
    end()
    expect(kept.read()).toEqual(text(0))
  })

  test('stays with those who refer to it where there is no budget', () => {
    const store = new SpillStore()
    const kept = store.keep(text(0))
    kept.release()
    kept.release()
    expect(kept.read()).toEqual(text(0))
    const again = store.keep<unknown>(kept)
    expect([again.read(), store.usage.values]).toEqual([text(0), 1])
  })

  test('is gone with its run, for the next run too', () => {
    const store = storeOf(0)
    const kept = store.keep(text(0))
    store.open({ directory, memoryBytes: 0 })
    store.keep(text(1))
    expect(() => kept.read()).toThrow('the run that kept this value has ended')
    kept.release()
    expect(store.usage.values).toBe(1)
  })

  test('counts once', () => {
    const store = storeOf(0)
    const [kept, other] = [store.keep(text(0)), store.keep(text(1))]
    kept.release()
    kept.release()
    expect(store.usage.values).toBe(1)
    expect(other.read()).toEqual(text(1))
  })
})

describe('the folder', () => {
  test('is removed at the end, and what a killed process left at the start', async () => {
    const killed = storeOf(0)
    killed.keep(text(0))
    expect(await filesOf()).toEqual(['1.segment'])
    const store = new SpillStore()
    store.open({ directory, memoryBytes: 0 })
    expect(existsSync(directory)).toBe(false)
    store.keep(text(1))
    expect(await filesOf()).toEqual(['1.segment'])
    store.close()
    expect(existsSync(directory)).toBe(false)
    expect(await readdir(root)).toEqual([])
  })

  test('that takes nothing is one clear error', async () => {
    await writeFile(directory, 'a file')
    const unwritable = expect.objectContaining({ code: 'RLENV_OUTPUT_UNWRITABLE' })
    const open = () => new SpillStore().open({ directory: join(directory, 'below'), memoryBytes: 0 })
    expect(open).toThrow(unwritable)
    await rm(directory)
    const store = storeOf(0)
    await writeFile(directory, 'a file')
    expect(() => store.keep(text(0))).toThrow(unwritable)
  })

  test.runIf(existsSync('/dev/full'))(
    'on a full disk is one clear error, and what was kept before is there',
    async () => {
      const store = storeOf(5_000, 3_000)
      const kept = Array.from({ length: 6 }, (_, index) => store.keep(text(index)))
      // The next file to be opened is a disk that takes nothing.
      for (let next = 2; next < 9; next++)
        await symlink('/dev/full', join(directory, `${next}.segment`)).catch(() => {})
      const full = expect.objectContaining({ code: 'RLENV_DISK_FULL', message: expect.stringContaining('2.segment') })
      expect(() => Array.from({ length: 9 }, (_, index) => store.keep(text(index)))).toThrow(full)
      expect(readAll(kept)).toEqual(Array.from({ length: 6 }, (_, index) => text(index)))
    },
  )

  test('whose files were changed is noticed', async () => {
    const store = storeOf(0)
    const kept = store.keep(text(0))
    const path = join(directory, '1.segment')
    const bytes = await readFile(path)
    bytes[20] = (bytes[20] ?? 0) ^ 1
    await writeFile(path, bytes)
    const changed = expect.objectContaining({ code: 'RLENV_FILE_INVALID', message: expect.stringContaining(path) })
    expect(() => kept.read()).toThrow(changed)
    await rm(path)
    expect(() => kept.read()).toThrow(expect.objectContaining({ code: 'RLENV_FILE_INVALID' }))
  })
  test('whose files were removed stops nobody who only lets go', async () => {
    const store = storeOf(0, 500)
    const kept = Array.from({ length: 9 }, (_, index) => store.keep(text(index)))
    await rm(directory, { recursive: true })
    for (const value of kept.slice(0, 8)) value.release()
    expect(store.usage.values).toBe(1)
    expect(() => kept[8]?.read()).toThrow(expect.objectContaining({ code: 'RLENV_FILE_INVALID' }))
    const later = Array.from({ length: 9 }, (_, index) => store.keep(text(index)))
    expect(readAll(later.slice(-3))).toEqual([text(6), text(7), text(8)])
  })
})

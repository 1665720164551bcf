import { spawn } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JsonlFile } from '../../src/runs/jsonl-file.ts'
import { type JsonlRecord, readJsonl } from '../../src/runs/read-jsonl.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rlenv-jsonl-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function readAll(path: string): Promise<{ values: unknown[]; tornBytes: number; lines: number }> {
  const values: unknown[] = []
  const records = readJsonl(path)
  for (;;) {
    const next: IteratorResult<JsonlRecord, { lines: number; tornBytes: number }> = await records.next()
    if (next.done) return { values, ...next.value }
    values.push(next.value.value)
  }
}

describe('JsonlFile', () => {
  test('keeps the order of appends that nobody waited for', async () => {
    const path = join(folder, 'order.jsonl')
    const file = await JsonlFile.open(path)
    const appends = Array.from({ length: 50 }, (_, index) => file.append([{ index }, { index: index + 0.5 }]))
    await Promise.all(appends)
    await file.close()
    expect((await readAll(path)).values).toEqual(
      Array.from({ length: 50 }, (_, index) => [{ index }, { index: index + 0.5 }]).flat(),
    )
  })

  test('sets half a last line aside, reports it, and rewrites nothing that is good', async () => {
    const path = join(folder, 'torn.jsonl')
    await writeFile(path, '{"a":1}\n{"a":2}\n{"a":3')
    const file = await JsonlFile.open(path)
    expect(file.tornTail).toEqual({ file: path, movedTo: `${path}.torn`, bytes: 6 })
    await file.append([{ a: 4 }])
    await file.close()
    expect(await readFile(path, 'utf8')).toBe('{"a":1}\n{"a":2}\n{"a":4}\n')
    expect(await readFile(`${path}.torn`, 'utf8')).toBe('{"a":3\n')
    await appendFile(path, '{"b"')
    await (await JsonlFile.open(path)).close()
    expect(await readFile(`${path}.torn`, 'utf8')).toBe('{"a":3\n{"b"\n')
  })

  test('finds the last whole line however long the torn one is, wherever it was cut', async () => {
    const path = join(folder, 'cut.jsonl')
    const lines = fc.array(fc.string({ minLength: 0, maxLength: 200 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(), fc.boolean(), async (texts, cut, isLong) => {
        const records = texts.map((text) => ({ text: isLong ? text.padEnd(80_000, 'ä') : text }))
        await rm(path, { force: true })
        const whole = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
        await writeFile(path, whole)
        await truncate(path, cut % (whole.length + 1))
        const file = await JsonlFile.open(path)
        await file.append([{ text: 'next' }])
        await file.close()
        const { values, tornBytes } = await readAll(path)
        expect(tornBytes).toBe(0)
        expect(values.at(-1)).toEqual({ text: 'next' })
        expect(values.slice(0, -1)).toEqual(records.slice(0, values.length - 1))
      }),
      { numRuns: 40 },
    )
  })

  test('names a full disk', async () => {
    const path = join(folder, 'full.jsonl')
    await symlink('/dev/full', path)
    const opened = await JsonlFile.open(path).catch((error: unknown) => error)
    if (!(opened instanceof JsonlFile)) return expect(opened).toMatchObject({ code: 'RLENV_OUTPUT_UNWRITABLE' })
    await expect(opened.append([{ a: 1 }])).rejects.toMatchObject({ code: 'RLENV_DISK_FULL' })
    await opened.close()
  })

  test('still parses to its last whole line when the disk fills up in the middle of an append', async () => {
    const path = join(folder, 'limited.jsonl')
    const { code, said } = await underFileLimit(path)
    expect(said).toMatch(/^RLENV_DISK_FULL the disk is full: .*limited\.jsonl was not written/)
    expect(code).toBe(1)
    const { values, tornBytes } = await readAll(path)
    expect(tornBytes).toBe(0)
    expect(values.length).toBeGreaterThan(100)
    expect(values).toEqual(Array.from({ length: values.length }, (_, index) => ({ index, text: 'x'.repeat(100) })))
  }, 60_000)
})

/** Appends records in a child that may write files of at most 64 KiB. */
function underFileLimit(path: string): Promise<{ code: number | null; said: string }> {
  const script = join(import.meta.dirname, 'fixtures', 'append-until-full.mjs')
  const child = spawn('bash', ['-c', `ulimit -f 64; exec "${process.execPath}" "${script}" "${path}"`])
  let said = ''
  child.stdout.on('data', (data) => (said += String(data)))
  child.stderr.on('data', (data) => (said += String(data)))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })))
}

describe('readJsonl', () => {
  test('leaves half a last line out and says so', async () => {
    const path = join(folder, 'tail.jsonl')
    await writeFile(path, '{"a":1}\n\n{"a":2}\n{"a"')
    expect(await readAll(path)).toEqual({ values: [{ a: 1 }, { a: 2 }], lines: 3, tornBytes: 4 })
  })

  test('refuses a broken line in the middle, with its number', async () => {
    const path = join(folder, 'middle.jsonl')
    await writeFile(path, '{"a":1}\n{"a":\n{"a":3}\n')
    await expect(readAll(path)).rejects.toMatchObject({
      code: 'RLENV_FILE_INVALID',
      message: expect.stringContaining('middle.jsonl, line 2: '),
    })
  })

  test('refuses a file that is not there', async () => {
    await expect(readAll(join(folder, 'nowhere.jsonl'))).rejects.toMatchObject({ code: 'RLENV_FILE_INVALID' })
  })

  test('reads characters that lie across two pieces', async () => {
    const path = join(folder, 'wide.jsonl')
    const values = Array.from({ length: 400 }, (_, index) => ({ index, text: 'é€😀'.repeat(97) }))
    await writeFile(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''))
    expect((await readAll(path)).values).toEqual(values)
  })
})

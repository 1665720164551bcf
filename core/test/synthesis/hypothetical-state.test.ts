import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { RandomStream } from '../../src/determinism/random-stream.ts'
import { loadEnvironment } from '../../src/environment/load-environment.ts'
import { ArgumentPool } from '../../src/environment/tools/argument-pool.ts'
import { generateArguments } from '../../src/environment/tools/generate-arguments.ts'
import { HypotheticalStates } from '../../src/synthesis/gate/hypothetical-state.ts'
import { mutantsOf } from '../../src/synthesis/gate/mutants.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import type { StateDiff } from '../../src/vocabulary/state-diff.ts'

const environment = tinyEnvironment()
const executable = loadEnvironment(environment)
const pool = new ArgumentPool(executable.initial)
const states = new HypotheticalStates(executable)
afterAll(() => states.close())

const everything = (reader: typeof executable.initial) =>
  Object.fromEntries(reader.tables.map((table) => [table, reader.rows(table)]))

/** What a dozen random calls leave behind. */
function aimless(seed: number): { readonly diff: StateDiff; readonly rows: Record<string, unknown> } {
  const random = RandomStream.of(seed, 'aimless')
  const instance = executable.open({ seed })
  for (let i = 0; i < 12; i++) {
    const tool = random.pick(environment.tools)
    instance.call(tool.name, generateArguments(tool.inputSchema, random, pool, { tables: tool.tables }))
  }
  const { final, diff } = instance.capture()
  const rows = everything(final)
  instance.close()
  return { diff, rows }
}

describe('HypotheticalStates', () => {
  test('shows the very state that a diff was taken from', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { diff, rows } = aimless(seed)
        await states.show(diff, async (state) => {
          expect(state.diff).toEqual(diff)
          expect(everything(state.reader)).toEqual(rows)
        })
      }),
      { numRuns: 40 },
    )
  })

  test('shows every mutant with a diff that is its own and not the gold one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { diff } = aimless(seed)
        for (const mutant of mutantsOf(diff, [], executable.image.tables)) {
          const shown = await states.show(mutant.diff, async (state) => state.diff)
          expect(shown).toEqual(mutant.diff)
          expect(shown).not.toEqual(diff)
        }
      }),
      { numRuns: 15 },
    )
  })

  test('leaves nothing of one state for the next', async () => {
    const { diff } = aimless(5)
    await states.show(diff, async () => undefined)
    await expect(states.show(diff, () => Promise.reject(new Error('judge failed')))).rejects.toThrow('judge failed')
    await states.show([], async ({ reader, diff: none }) => {
      expect(none).toEqual([])
      expect(everything(reader)).toEqual(everything(executable.initial))
    })
  })

  test('shows rows that no tool could leave behind: dropped parents, values outside a check', async () => {
    const [member] = executable.initial.rows('members')
    const key = { id: member!.id! }
    const shown = await states.show([{ kind: 'delete', table: 'members', key, before: member! }], async (s) => s.diff)
    expect(shown).toEqual([{ kind: 'delete', table: 'members', key, before: member }])
    const after = { ...member!, tier: 'tmvt' }
    const change = { kind: 'update', table: 'members', key, before: member!, after } as const
    expect(await states.show([change], async (s) => s.diff)).toEqual([change])
  })

  test('says so when the database cannot hold a state', async () => {
    const [first, second] = executable.initial.rows('members')
    const after = { ...first!, name: second!.name! }
    const change = { kind: 'update', table: 'members', key: { id: first!.id! }, before: first!, after } as const
    expect(await states.show([change], async () => 'shown')).toBeNull()
    expect(await states.show([], async ({ diff }) => diff)).toEqual([])
  })
})

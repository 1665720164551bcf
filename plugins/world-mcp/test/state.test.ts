import type { WorldInstance } from 'rlenv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, notesOptions, notesServer, openNotes, openWorld } from './notes-server.ts'

describe('a state that a tool shows', () => {
  let close: () => void | Promise<void>
  let notes: WorldInstance
  beforeAll(async () => {
    const world = await openWorld([notesOptions(notesServer([], { state: { tool: 'list_notes' } }))])
    close = () => world.close()
    notes = await openNotes(world)
  })
  afterAll(() => close())

  test('is unchanged until something is written, then differs by the rows that were', async () => {
    expect((await notes.capture())?.diff).toEqual([])
    await call(notes, 'add_note', { title: 'b', tags: ['x'] })
    await call(notes, 'add_note', { title: 'a' })
    const state = await notes.capture()
    expect(state?.initial.rows('notes')).toEqual([])
    expect(state?.final.tables).toEqual(['notes'])
    expect(state?.final.rows('notes')).toEqual([
      { id: 1, title: 'b', tags: '["x"]' },
      { id: 2, title: 'a', tags: '[]' },
    ])
    expect(state?.diff.map(({ kind, table }) => [kind, table])).toEqual([
      ['insert', 'notes'],
      ['insert', 'notes'],
    ])
  })

  test('answers no SQL and knows no other tables, and says so', async () => {
    const state = await notes.capture()
    expect(() => state?.final.rows('letters')).toThrow(/no table "letters".*notes/)
    expect(() => state?.final.query('SELECT 1')).toThrow(/no SQL/)
  })
})

import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { loadEnvironment } from '../../src/environment/load-environment.ts'
import { runGold } from '../../src/environment/run-gold.ts'
import { tinyDatabase, tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { tinyVerifierOf } from '../../src/testing/tiny-verifier.ts'
import { environmentSchema } from '../../src/vocabulary/environment.ts'

describe('tinyEnvironment', () => {
  test('fits the vocabulary', () => {
    expect(environmentSchema.parse(tinyEnvironment())).toEqual(tinyEnvironment())
  })

  test.each([0, 1, 2, 3])('loads with every foreign key in place, for seed %i', (seed) => {
    const database = new Database(':memory:')
    const { schema, data } = tinyDatabase(seed)
    database.exec(schema + data)
    expect(database.pragma('foreign_key_check')).toEqual([])
    expect(database.prepare('SELECT count(*) FROM loans').pluck().get()).toBe(6)
    database.close()
  })

  test.each([0, 1, 2, 3])('has the verifiers that its gold runs lead to, for seed %i', (seed) => {
    const environment = tinyEnvironment({ seed })
    for (const { id, gold } of environment.tasks) {
      const run = runGold(loadEnvironment(environment), gold.calls, gold.answer)
      expect(run.succeeded).toBe(true)
      expect(environment.verifiers[id]).toEqual(tinyVerifierOf(run.diff, gold.answer))
    }
  })

  test('holds other rows for another seed and the same for the same', () => {
    expect(tinyEnvironment({ seed: 1 })).toEqual(tinyEnvironment({ seed: 1 }))
    expect(tinyEnvironment({ seed: 1 }).database.data).not.toBe(tinyEnvironment({ seed: 2 }).database.data)
  })
})

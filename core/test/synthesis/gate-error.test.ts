import { describe, expect, test } from 'vitest'
import { gateError } from '../../src/synthesis/gate/gate-error.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'
import { tinyVerifier } from '../../src/testing/tiny-verifier.ts'
import { gateOf, verdictOf, withTool } from './gate-of.ts'

describe('gateError', () => {
  test('is nothing for a valid environment', async () => {
    expect(gateError(await gateOf())).toBeNull()
  })

  test('names a broken foreign key', async () => {
    const { database, ...rest } = tinyEnvironment()
    const data = `${database.data}INSERT INTO loans VALUES (7, 99, 1, 'active', '2026-04-20');`
    expect(gateError(await gateOf({ ...rest, database: { ...database, data } }))).toMatchObject({
      code: 'RLENV_DATABASE_INVALID',
      message: expect.stringMatching(
        /^environment tiny-library is invalid:\n {2}- environment \(invalid\) database_invalid: .*loans rowid 7/,
      ),
      fix: expect.stringMatching(/^Correct the named statements/),
    })
  })

  test('names a tool with a reserved name', async () => {
    expect(gateError(await gateOf(withTool({ name: 'verify' })))).toMatchObject({
      code: 'RLENV_TOOL_INVALID',
      message:
        'environment tiny-library is invalid:\n  - tool verify (invalid) tool_reserved_name: "verify" is a name that the control side keeps for itself',
    })
  })

  test('names a task whose goal holds already', async () => {
    const judge: Parameters<typeof gateOf>[1] = (input) => {
      return input.task.id === 'tiny-library/lend' ? verdictOf(true) : tinyVerifier.judge(input, {} as never)
    }
    expect(gateError(await gateOf(tinyEnvironment(), judge))).toMatchObject({
      code: 'RLENV_TASK_INVALID',
      message: expect.stringContaining(
        '\n  - task tiny-library/lend (invalid) holds_untouched: the verifier passes although nothing was done',
      ),
    })
  })
})

import { tinyEnvironment } from 'rlenv/testing'
import { expect, test } from 'vitest'
import { ExecutableWorld } from '../../../src/environment/executable-world.ts'
import { RemoteWorld } from '../../../src/serving/workers/remote-world.ts'
import { loopbackWorker } from './loopback-worker.ts'

const environment = tinyEnvironment()
const request = { environment, seed: environment.seed }
const write = environment.tasks[0]!.gold.calls.at(-1)!
const { signal: never } = new AbortController()

test('a call whose signal is aborted already is not made, and says so as a world in this process does', async () => {
  const { worker, told } = await loopbackWorker()
  const world = await RemoteWorld.open(worker, 1, request)
  const here = await new ExecutableWorld().open(request)
  const before = told.length
  const refused = await world.call(write.tool, write.arguments, AbortSignal.abort())
  expect(refused).toEqual(await here.call(write.tool, write.arguments, AbortSignal.abort()))
  expect(refused.result).toMatchObject({ ok: false, error: { kind: 'timeout' } })
  expect(told.slice(before)).toEqual([])
  expect((await world.state())?.diff).toEqual([])
  expect(await world.call(write.tool, write.arguments, never)).toEqual(
    await here.call(write.tool, write.arguments, never),
  )
})

test('both states are read where the world is held, with queries, and what is refused there is refused here', async () => {
  const { worker } = await loopbackWorker()
  const world = await RemoteWorld.open(worker, 1, request)
  const here = await new ExecutableWorld().open(request)
  for (const one of [world, here]) await one.call(write.tool, write.arguments, never)
  const [state, held] = [await world.state(), await here.capture()]
  const lent = 'SELECT count(*) AS n FROM loans WHERE status = @status'
  expect(state?.diff).toEqual(held?.diff)
  for (const of of ['initial', 'final'] as const) {
    expect(state?.[of].tables).toEqual(held?.[of].tables)
    expect(await state?.[of].rows('loans')).toEqual(held?.[of].rows('loans'))
    expect(await state?.[of].query(lent, { status: 'active' })).toEqual(held?.[of].query(lent, { status: 'active' }))
  }
  expect(await state?.initial.query(lent, { status: 'active' })).toEqual([{ n: 6 }])
  expect(await state?.final.query(lent, { status: 'active' })).toEqual([{ n: 7 }])
  const invalid = { code: 'RLENV_DATABASE_INVALID' }
  await expect(state?.final.query('DELETE FROM loans')).rejects.toMatchObject(invalid)
  await expect(state?.final.rows('no_such_table')).rejects.toMatchObject(invalid)
})

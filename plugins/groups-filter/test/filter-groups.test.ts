import { type FilterGroupsOptions, filterGroups } from '@rlenv/groups-filter'
import { assemblePipeline, type TrajectoryGroup } from 'rlenv'
import { groupOf, testContext } from 'rlenv/testing'
import { describe, expect, test } from 'vitest'

async function filtered(groups: readonly TrajectoryGroup[], options: FilterGroupsOptions = {}) {
  const pipeline = await assemblePipeline([{ name: 'test', plugins: [filterGroups(options)] }])
  const metrics: Record<string, number> = {}
  const metric = (name: string, value: number) => {
    metrics[name] = value
  }
  const kept = await pipeline.chain('groups', groups, {
    ...testContext(),
    step: 0,
    policyVersion: 0,
    learnerVersion: 0,
    metric,
  })
  return { kept: kept.map(({ ordinal }) => ordinal), metrics }
}

describe('filterGroups', () => {
  test('drops groups whose rewards are equal and keeps the others, in order', async () => {
    const groups = [
      groupOf([1, 1, 1], { ordinal: 0 }),
      groupOf([1, -1, 1], { ordinal: 1 }),
      groupOf([-1, -1], { ordinal: 2 }),
    ]
    expect(await filtered(groups)).toEqual({ kept: [1], metrics: { 'filter/flat': 2, 'filter/too_few': 0 } })
  })

  test('is not fooled by rounding: three times 0.1 is flat', async () => {
    expect((await filtered([groupOf([0.1, 0.1, 0.1])])).kept).toEqual([])
  })

  test('a group emptied by faults is no flat one, and is told apart', async () => {
    const faults = groupOf(['environment_fault', 'environment_fault', 'environment_fault'])
    expect(await filtered([faults])).toEqual({ kept: [], metrics: { 'filter/flat': 0, 'filter/too_few': 1 } })
  })

  test('a single member that counts is too few', async () => {
    expect((await filtered([groupOf([1, 'environment_fault', 'unscored'])])).metrics).toMatchObject({
      'filter/too_few': 1,
    })
  })

  test('a fault between equal rewards does not make them differ', async () => {
    expect((await filtered([groupOf([-1, 'environment_fault', -1])])).kept).toEqual([])
  })

  test('asks for as many members that count as it is told to', async () => {
    const group = groupOf([1, -1, 'environment_fault'])
    expect((await filtered([group])).kept).toEqual([0])
    expect((await filtered([group], { minCounted: 3 })).kept).toEqual([])
  })
})

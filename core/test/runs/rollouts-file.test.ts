import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readTraces } from '../../src/runs/read-traces.ts'
import { RolloutsFile, writeRollouts } from '../../src/runs/rollouts-file.ts'
import { groupOf, judgedOf } from '../../src/testing/trajectories.ts'
import type { JudgedTrajectory, TrajectoryGroup } from '../../src/vocabulary/trajectory.ts'

let folder = ''
let all = ''
let effective = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rlenv-rollouts-'))
  all = join(folder, 'all', 'traces.jsonl')
  effective = join(folder, 'effective', 'traces.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function read(path: string): Promise<JudgedTrajectory[]> {
  const members: JudgedTrajectory[] = []
  for await (const member of readTraces(path)) members.push(member)
  return members
}

const withMembers = (group: TrajectoryGroup, members: readonly JudgedTrajectory[]) => ({ ...group, members })
const generated = [
  groupOf([1, 'cancelled', -1]),
  groupOf([1, 'unscored'], { ordinal: 1 }),
  groupOf([-1], { ordinal: 2 }),
]
const [first, second, third] = generated as [TrajectoryGroup, TrajectoryGroup, TrajectoryGroup]

/** Writes both sets and reads the second one. */
async function kept(groups: readonly TrajectoryGroup[]): Promise<JudgedTrajectory[]> {
  await writeRollouts(all, generated)
  await writeRollouts(effective, groups, generated)
  return read(effective)
}

describe('the rollouts that the algorithm was given', () => {
  test('carry only what was decided when they stand in the other file, and are read whole', async () => {
    // In another order than generated, as a groups plugin may leave them.
    expect(await kept([third, first])).toEqual([...third.members, first.members[0], first.members[2]])
    expect(await linesOf(effective)).toEqual([
      {
        id: 'd2/0',
        task_id: 'tiny-library/lend',
        env: 'tiny-library',
        group_id: 'd2',
        rollout_index: 0,
        reward: -1,
        outcome: { kind: 'scored' },
      },
      expect.objectContaining({ id: 'd0/0', reward: 1 }),
      expect.objectContaining({ id: 'd0/2', reward: -1 }),
    ])
  })

  test('keep the reward and the outcome that the groups chain gave them', async () => {
    const [member] = first.members as [JudgedTrajectory]
    const changed = { ...member, reward: 0.5, replayed: true }
    expect(await kept([withMembers(first, [changed])])).toEqual([changed])
    expect((await linesOf(effective))[0]).toMatchObject({ reward: 0.5, replayed: true })
    expect((await linesOf(effective))[0]).not.toHaveProperty('messages')
  })

  test('are written whole when they are of another step, or have another trajectory or verdict', async () => {
    const replayed = { ...judgedOf(1, { drawId: 'd0', rolloutIndex: 7 }), replayed: true }
    const sameIdOnly = judgedOf(1, { drawId: 'd1', rolloutIndex: 0 })
    const [member] = third.members as [JudgedTrajectory]
    const judgedAnew = { ...member, verdict: { kind: 'passed', passed: true, score: 1, evidence: [] } } as const
    const members = [replayed, sameIdOnly, judgedAnew]
    expect(await kept([withMembers(second, members)])).toEqual(members)
    for (const line of await linesOf(effective)) expect(line).toHaveProperty('messages')
  })

  test('cannot be read without the other file, or when it lacks them', async () => {
    await kept([first])
    await writeRollouts(all, [second])
    await expect(read(effective)).rejects.toMatchObject({
      code: 'RLENV_FILE_INVALID',
      message: expect.stringMatching(
        /effective\/traces\.jsonl, line 1: the rollout d0\/0 is not in .*all\/traces\.jsonl/,
      ),
    })
    await rm(dirname(all), { recursive: true })
    await expect(read(effective)).rejects.toMatchObject({ code: 'RLENV_FILE_INVALID' })
  })

  test('may be left in the middle of reading', async () => {
    await kept([first])
    for await (const { trajectory } of readTraces(effective)) {
      expect(trajectory).toEqual(first.members[0]?.trajectory)
      break
    }
  })
})

describe('RolloutsFile', () => {
  test('is not there before it is finished, and then whole', async () => {
    const file = await RolloutsFile.open(all)
    await file.add(first)
    await file.add(second)
    await expect(readFile(all)).rejects.toMatchObject({ code: 'ENOENT' })
    await file.finish()
    expect((await read(all)).map(({ trajectory }) => trajectory.id)).toEqual(['d0/0', 'd0/2', 'd1/0', 'd1/1'])
    expect(await readdir(dirname(all))).toEqual(['traces.jsonl'])
  })

  test('holds no more than a chunk in memory', async () => {
    const file = await RolloutsFile.open(all)
    const long = groupOf([1])
    const members = Array.from({ length: 6 }, (_, rolloutIndex) => {
      const member = judgedOf(1, { rolloutIndex })
      const answer = 'x'.repeat(400_000)
      return { ...member, trajectory: { ...member.trajectory, answer } }
    })
    await file.add(withMembers(long, members))
    const temporary = (await readdir(dirname(all)))[0]!
    expect((await readFile(join(dirname(all), temporary))).length).toBeGreaterThan(2_000_000)
    await file.finish()
    expect(await read(all)).toEqual(members)
  })

  test('leaves nothing behind when it is discarded, and what was there before stays', async () => {
    await writeRollouts(all, [third])
    const file = await RolloutsFile.open(all)
    await file.add(first)
    await file.discard()
    expect(await readdir(dirname(all))).toEqual(['traces.jsonl'])
    expect(await read(all)).toEqual(third.members)
    const finished = await RolloutsFile.open(all)
    await finished.finish()
    await finished.discard()
    expect(await readFile(all, 'utf8')).toBe('')
  })

  test('takes over what a killed process left half written', async () => {
    await writeRollouts(all, [first])
    await writeFile(join(dirname(all), '.traces.jsonl.tmp'), '{"id":"d0/0"}\n'.repeat(9))
    await writeRollouts(all, [third])
    expect(await readdir(dirname(all))).toEqual(['traces.jsonl'])
    expect(await read(all)).toEqual(third.members)
  })

  test('that cannot be written is refused with its path', async () => {
    await writeFile(join(folder, 'all'), '')
    await expect(RolloutsFile.open(all)).rejects.toMatchObject({
      code: 'RLENV_OUTPUT_UNWRITABLE',
      message: expect.stringContaining(all),
    })
  })
})

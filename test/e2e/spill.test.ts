import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { crashConfig, type RunResults, resultsOf, resumeAll, runIn } from './crash-run.ts'
import { onOwnDisk, ownDisksWork } from './limited-disk.ts'
import { type Failure, Project } from './project.ts'

const project = new Project({ 'rlenv.config.ts': crashConfig })
let straight: RunResults
/** Recorded events of that run. */
let events: number

beforeAll(async () => {
  const ended = await project.rlenv('train')
  expect(ended.code, ended.stderr).toBe(0)
  straight = resultsOf(runIn(project.path('outputs')))
  events = Number(/events: (\d+)/.exec(ended.stderr)?.[1])
})
afterAll(() => project.remove())

/** Trains with output in a folder of its own, in which no rollout that waits stays in memory. */
async function trainOnDisk(folder: string, crashAt: number | null, more = '') {
  const settings = `--set output.directory=${folder}/outputs --set training.bufferMib=0 ${more}`
  const variables: Record<string, string> = crashAt === null ? {} : { CRASH_AT: `${crashAt}` }
  const ended = await project.run('sh', ['-c', `exec $RLENV train ${settings}`], variables)
  return { ...ended, run: runIn(project.path(folder, 'outputs')) }
}

test.each([
  ['in this thread', ''],
  ['in threads of their own', '--set rollout.mode=workers --set rollout.shards=2'],
])(
  'a run with rollouts %s, whose rollouts wait on disk, ends like one whose rollouts wait in memory',
  async (_, more) => {
    const { code, stderr, run } = await trainOnDisk(more === '' ? 'inline' : 'workers', null, more)
    expect(code, stderr).toBe(0)
    expect(existsSync(join(run, 'spilled'))).toBe(false)
    expect(resultsOf(run)).toEqual(straight)
  },
)

test('so does one that is killed, and removes what it left on disk when it goes on', { timeout: 300_000 }, async () => {
  const runs: string[] = []
  for (const share of [0.2, 0.4, 0.7, 0.95]) {
    const crashAt = Math.round(share * events)
    const { code, run } = await trainOnDisk(`killed-${crashAt}`, crashAt)
    expect(code).toBe(null)
    expect(readFileSync(join(run, 'spilled', '1.segment')).length, `killed at event ${crashAt}`).toBeGreaterThan(1000)
    runs.push(run)
  }
  await resumeAll(project, runs)
  for (const run of runs) {
    expect(existsSync(join(run, 'spilled'))).toBe(false)
    expect(resultsOf(run)).toEqual(straight)
  }
})

test.runIf(await ownDisksWork(project))(
  'a disk that is too small for them is one clear error with exit code 1',
  async () => {
    // A few steps of a larger size, so that it is rollouts that wait and nothing else that fills the disk.
    const sizes = '--set training.tasksPerStep=40 --set output.tracesEverySteps=100 --set training.bufferMib=0'
    const { code, stdout } = await onOwnDisk(
      project,
      'small',
      'size=2m',
      `$RLENV train ${sizes} --set output.directory=small --json`,
    )
    expect([code, stdout]).toEqual([1, expect.stringContaining('RLENV_DISK_FULL')])
    const { error } = JSON.parse(stdout) as Failure
    expect(error.message).toMatch(/^the disk is full: \S+\/spilled\/\d+\.segment was not written$/)
    expect(error.fix).toContain('Free')
  },
)

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { crashConfig, killedRun, ofTheCourse, runIn } from './crash-run.ts'
import { treeOf } from './file-tree.ts'
import { Project } from './project.ts'
import type { Ended, Listed } from './run-documents.ts'

const project = new Project({ 'rlenv.config.ts': crashConfig })
afterAll(() => project.remove())

/** Flags with which a command looks for runs in a folder of its own. */
const runsIn = (folder: string) => ['--set', `output.directory=${folder}/outputs`]

/** Trains to a first end, and returns the run's folder. */
async function endedRun(folder: string, steps: number, ...more: readonly string[]): Promise<string> {
  return (await project.json<Ended>(['train', '--steps', String(steps), ...more, ...runsIn(folder)])).directory
}

/** Runs a command until the process kills itself at one of its events. */
async function killedAt(event: number, args: readonly string[]): Promise<void> {
  const { code, stderr } = await project.run('sh', ['-c', `exec $RLENV ${args.join(' ')}`], {
    CRASH_AT: String(event),
  })
  expect([code, stderr]).toEqual([null, expect.any(String)])
}

const stepsOf = async (folder: string) => {
  const [run] = await project.json<readonly Listed[]>(['list', ...runsIn(folder)])
  return run?.steps
}

const filesOf = (directory: string) => treeOf(directory, (path) => !ofTheCourse.test(path))

describe('a run that was made longer', () => {
  test('goes on to its new length after Ctrl-C, with the bytes of a run of that length', async () => {
    // Its first end is at a step after which a longer run is evaluated as well.
    const run = await endedRun('longer', 3)
    const stopped = await project.interrupt(['train', '--resume', run, '--steps', '9', ...runsIn('longer')], (so) =>
      so.sent === 0 && so.stderr.includes('steps 4/9') ? 'SIGINT' : null,
    )
    expect([stopped.code, stopped.stderr]).toEqual([130, expect.any(String)])
    const before = await stepsOf('longer')
    expect(before?.wanted).toBe(9)
    expect(before?.finished).toBeLessThan(9)
    const resumed = await project.json<Ended>(['resume', ...runsIn('longer')])
    expect(resumed).toMatchObject({ status: 'done', finishedSteps: 9, directory: run })
    expect(await stepsOf('longer')).toEqual({ finished: 9, wanted: 9 })
    const straight = await project.json<Ended>(['train', '--steps', '9', ...runsIn('straight')])
    expect(filesOf(run)).toEqual(filesOf(straight.directory))
  })

  test('goes on to its new length after a kill at any of its events', async () => {
    for (const event of [1, 9, 22]) {
      const run = await endedRun(`killed-${event}`, 2)
      await killedAt(event, ['train', '--resume', run, '--steps', '6', ...runsIn(`killed-${event}`)])
      expect((await stepsOf(`killed-${event}`))?.wanted).toBe(6)
      const resumed = await project.json<Ended>(['resume', ...runsIn(`killed-${event}`)])
      expect(resumed, `killed at event ${event}`).toMatchObject({ status: 'done', finishedSteps: 6, directory: run })
    }
  })

  test('keeps the settings that it had when a start is refused, or killed before it was accepted', async () => {
    const run = await killedRun(project, 'refused', { CRASH_AT: '30' })
    await project.failure(['train', '--resume', run, '--steps', '9', '--seed', '4', ...runsIn('refused')], 2)
    const left = join(run, 'logs', 'attempt_2', 'config.resolved.json')
    expect(JSON.parse(readFileSync(left, 'utf8')).config.seed).toBe(4)
    expect(await stepsOf('refused')).toMatchObject({ wanted: 5 })

    const metadata = JSON.parse(readFileSync(join(run, 'metadata.json'), 'utf8'))
    const unaccepted = { attempt: 2, started_at: '2030-01-01T00:00:00.000Z', ended_at: null, status: null }
    const killed = { ...metadata, attempts: [...metadata.attempts, unaccepted] }
    writeFileSync(join(run, 'metadata.json'), JSON.stringify(killed))
    expect(await stepsOf('refused')).toMatchObject({ wanted: 5 })
    writeFileSync(join(run, 'metadata.json'), JSON.stringify(metadata))

    const resumed = await project.json<Ended>(['resume', ...runsIn('refused')])
    expect(resumed).toMatchObject({ status: 'done', finishedSteps: 5, directory: run })
    expect(readdirSync(join(run, 'logs', 'attempt_2')), 'the refused one is gone').not.toContain('config.resolved.json')
  })
})

describe('a resume that is forced', () => {
  test('wants the folder of the run, whichever command it is', async () => {
    for (const command of [['resume'], ['train', '--resume']]) {
      const refused = await project.failure([...command, '--force', ...runsIn('nowhere')], 2)
      expect(refused).toMatchObject({ code: 'RLENV_USAGE' })
      expect(refused.fix).toContain(`rlenv ${command.join(' ')} <folder> --force`)
    }
  })

  test('and is killed before its first checkpoint goes on as it was forced to', async () => {
    const run = await endedRun('forced', 2)
    const changed = ['--steps', '6', '--set', 'training.tasksPerStep=3']
    await killedAt(2, ['train', '--resume', run, '--force', ...changed, ...runsIn('forced')])
    const checkpoints = () => readdirSync(join(run, 'checkpoints')).filter((name) => /^step_\d+$/.test(name))
    expect(checkpoints()).toEqual(['step_2'])
    const refused = await project.failure(['resume', run, '--set', 'training.tasksPerStep=1'], 2)
    expect(refused.message).toContain('training.tasksPerStep was 2 and is 1')
    const resumed = await project.json<Ended>(['resume', ...runsIn('forced')])
    expect(resumed).toMatchObject({ status: 'done', finishedSteps: 6, directory: run })
  })
})

describe('a run of another name', () => {
  test('is gone on with only when its folder is named', async () => {
    const own = await endedRun('names', 2, '--set', 'name=own')
    await killedAt(30, ['train', '--set', 'name=other', ...runsIn('names')])
    const [other = ''] = (await project.json<readonly Listed[]>(['list', ...runsIn('names')])).map((r) => r.directory)
    expect(other).toContain('/other--')
    const extended = ['train', '--resume', '--steps', '3', '--set', 'name=own', ...runsIn('names')]
    expect(await project.json<Ended>(extended)).toMatchObject({ finishedSteps: 3, directory: own })
    for (const command of [['resume'], ['train', '--resume']]) {
      const refused = await project.failure([...command, '--set', 'name=third', ...runsIn('names')], 2)
      expect(refused).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
      expect(refused.fix).toContain(`rlenv resume ${other}`)
    }
    expect(await project.json<Ended>(['resume', other])).toMatchObject({ finishedSteps: 5, directory: other })
  })
})

test('an evaluation that is refused leaves no run behind', async () => {
  await endedRun('evaluated', 2)
  const wider = ['--set', 'synthesis.environments=5']
  await project.failure(['eval', ...wider, ...runsIn('evaluated')], 2)
  expect(readdirSync(project.path('evaluated/outputs'))).toEqual(['train'])
  expect(runIn(project.path('evaluated/outputs'))).toContain('/train/')
})

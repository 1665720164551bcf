import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { crashConfig, killedRun } from './crash-run.ts'
import { Project } from './project.ts'
import type { Ended, Listed } from './run-documents.ts'

const project = new Project({ 'rlenv.config.ts': crashConfig })
afterAll(() => project.remove())

/** Flags with which a command looks for runs in a folder of its own. */
const runsIn = (folder: string) => ['--set', `output.directory=${folder}/outputs`]

describe('a run to go on with', () => {
  test('is found by train --resume although it is to be longer than it was', async () => {
    const run = await killedRun(project, 'longer', { CRASH_AT: '40' })
    const resumed = await project.json<Ended>(['train', '--resume', '--steps', '7', ...runsIn('longer')])
    expect(resumed).toMatchObject({ status: 'done', finishedSteps: 7, directory: run })
  })

  test('is found by both commands alike, and when all have ended, is the last one for train --resume alone', async () => {
    const run = await killedRun(project, 'alike', { CRASH_AT: '30' })
    const resumed = await project.json<Ended>(['resume', ...runsIn('alike')])
    expect(resumed).toMatchObject({ status: 'done', finishedSteps: 5, directory: run })
    const refused = await project.failure(['resume', ...runsIn('alike')], 2)
    expect(refused).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    expect(refused.fix).toContain('rlenv train --resume --steps N')
    const extended = await project.json<Ended>(['train', '--resume', '--steps', '8', ...runsIn('alike')])
    expect(extended).toMatchObject({ status: 'done', finishedSteps: 8, directory: run })
  })

  test('has the settings at hand, if one with them is there', async () => {
    const flags = ['--seed', '12', ...runsIn('seeds')]
    await project.run('sh', ['-c', `exec $RLENV train ${flags.join(' ')}`], { CRASH_AT: '20' })
    const [first] = readdirSync(project.path('seeds/outputs/train'))
    await project.run('sh', ['-c', `exec $RLENV train ${runsIn('seeds').join(' ')}`], { CRASH_AT: '20' })
    const resumed = await project.json<Ended>(['train', '--resume', ...flags])
    expect(resumed).toMatchObject({ status: 'done', directory: project.path('seeds/outputs/train', first ?? '') })
  })

  test('is one of the file that is named', async () => {
    const run = await killedRun(project, 'files', { CRASH_AT: '20' })
    project.write('other.config.ts', crashConfig)
    const other = ['-c', 'other.config.ts', ...runsIn('files')]
    for (const command of [['resume'], ['train', '--resume']]) {
      expect(await project.failure([...command, ...other], 2)).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    }
    expect(await project.json<Ended>(['resume', ...runsIn('files')])).toMatchObject({ directory: run })
  })

  test('goes on with the settings that it was begun with', async () => {
    const flags = ['--steps', '2', '--seed', '9', ...runsIn('begun')]
    await project.run('sh', ['-c', `exec $RLENV train ${flags.join(' ')}`], { CRASH_AT: '9' })
    expect(await project.json(['resume', ...runsIn('begun')])).toMatchObject({ status: 'done', steps: 2 })
  })

  test('is refused when its configuration has changed, and goes on when that is forced', async () => {
    const run = await killedRun(project, 'changed', { CRASH_AT: '30' })
    project.write('rlenv.config.ts', crashConfig.replace('tasksPerStep: 2', 'tasksPerStep: 3'))
    for (const command of [['resume'], ['train', '--resume']]) {
      const refused = await project.failure([...command, ...runsIn('changed')], 2)
      expect(refused).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
      expect(refused.message).toContain('training.tasksPerStep was 2 and is 3')
      expect(refused.fix).toContain('--force')
    }
    const forced = await project.json<Ended>(['resume', run, '--force', ...runsIn('changed')])
    expect(forced).toMatchObject({ status: 'done', finishedSteps: 5, directory: run })
    const note = readdirSync(run).find((name) => name.startsWith('forced-after-step_'))
    expect(readFileSync(`${run}/${note}`, 'utf8')).toContain('training.tasksPerStep was 2 and is 3')
    project.write('rlenv.config.ts', crashConfig)
  })
})

describe('list', () => {
  test('shows every run, the last started first, with how far it came and how it ended', async () => {
    expect(await project.json<readonly Listed[]>(['list', ...runsIn('listed')])).toEqual([])
    const ended = await project.json<Ended>(['train', '--steps', '2', ...runsIn('listed')])
    const evaluated = await project.json<{ directory: string }>(['eval', '--base', ...runsIn('listed')])
    await project.run('sh', ['-c', `exec $RLENV train --seed 3 ${runsIn('listed').join(' ')}`], { CRASH_AT: '40' })
    const runs = await project.json<readonly Listed[]>(['list', ...runsIn('listed')])
    expect(runs).toMatchObject([
      { kind: 'train', status: 'killed', starts: 1, seed: 3, steps: { wanted: 5 }, success: null },
      { kind: 'eval', status: 'done', directory: evaluated.directory, seed: 10, steps: null, success: null },
      { kind: 'train', status: 'done', directory: ended.directory, seed: 10, steps: { finished: 2, wanted: 2 } },
    ])
    const saved = runs[0]?.steps?.finished ?? 0
    expect(saved).toBeGreaterThanOrEqual(2)
    expect(saved).toBeLessThan(5)
    expect(runs[2]?.success).toBeTypeOf('number')

    const resumed = await project.json<Ended>(['resume', ...runsIn('listed')])
    const [first] = await project.json<readonly Listed[]>(['list', ...runsIn('listed')])
    expect(first).toMatchObject({ directory: resumed.directory, status: 'done', starts: 2, steps: { finished: 5 } })
    await project.failure(['train', '--resume', resumed.directory, '--seed', '4', ...runsIn('listed')], 2)
    const [refused] = await project.json<readonly Listed[]>(['list', ...runsIn('listed')])
    expect(refused, 'a run that was not gone on with is as it was').toEqual(first)
    const printed = await project.rlenv('list', ...runsIn('listed'))
    expect(printed.stdout.split('\n')[1]).toMatch(/^listed\/outputs\/train\/\S+ +\S+ \S+ UTC +2 +done +3 +5\/5 /)
  })

  test('shows all of them when a file lies among them or one of them is damaged', async () => {
    const { directory } = await project.json<Ended>(['train', '--steps', '1', ...runsIn('damaged')])
    project.write('damaged/outputs/.DS_Store', '')
    project.write('file/outputs/train', '')
    expect(await project.failure(['resume', ...runsIn('file')], 2)).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    project.write('damaged/outputs/train/notes.txt', 'mine')
    rmSync(join(directory, 'checkpoints'), { recursive: true })
    for (const name of ['summary.json', 'run.lock', 'checkpoints']) writeFileSync(join(directory, name), '{"seed":')
    const shown = {
      directory,
      kind: 'train',
      status: 'done',
      seed: 10,
      steps: { finished: 0, wanted: 1 },
      success: null,
    }
    expect(await project.json<readonly Listed[]>(['list', ...runsIn('damaged')])).toMatchObject([shown])
    writeFileSync(join(directory, 'config.resolved.json'), '')
    const [damaged] = await project.json<readonly Listed[]>(['list', ...runsIn('damaged')])
    expect(damaged).toMatchObject({ ...shown, seed: null, steps: null })
  })
})

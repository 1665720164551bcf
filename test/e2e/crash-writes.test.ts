import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  crashConfig,
  killedRun,
  ofTheCourse,
  type RunResults,
  resultsOf,
  resumeAll,
  runIn,
  twoAtATime,
} from './crash-run.ts'
import { treeOf } from './file-tree.ts'
import { Project } from './project.ts'

/** A state of the run's folder in which a kill would leave it. */
interface Moment {
  readonly number: number
  /** What the run does next. */
  readonly what: string
  /** To which file, below the run's folder. */
  readonly path: string
  /** The copy of the folder. */
  readonly folder: string
}

const preload = `--import ${join(import.meta.dirname, 'crash-moments.mjs')}`
const project = new Project({ 'rlenv.config.ts': crashConfig })
let straight: RunResults
let moments: readonly Moment[] = []

beforeAll(async () => {
  const copies = project.path('moments')
  mkdirSync(copies)
  const train = await project.run('sh', ['-c', '$RLENV train'], { NODE_OPTIONS: preload, MOMENTS: copies })
  expect(train.code, train.stderr).toBe(0)
  straight = resultsOf(runIn(project.path('outputs')))
  const lines = readFileSync(join(copies, 'moments.jsonl'), 'utf8').trimEnd().split('\n')
  moments = lines.map((line, index) => {
    return { ...JSON.parse(line), number: index + 1, folder: join(copies, String(index + 1)) }
  })
})
afterAll(() => project.remove())

/** Where a write that has not come to its end lies carries the process and a count. */
const withoutWriter = (path: string) => path.replaceAll(/\.\d+-\d+\.tmp/g, '.tmp')

const pathsOf = (what: string) => moments.filter((one) => one.what === what).map(({ path }) => withoutWriter(path))

/** Whether the run says in its folder that it has begun. */
const hasBegun = ({ folder }: Moment) => existsSync(join(folder, 'metadata.json'))

/** What a folder holds apart from times, names of folders, the process that wrote it and what only waits on the disk. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const entries = Object.entries(
    treeOf(folder, (path) => !ofTheCourse.test(path) && !/^(run\.lock$|spilled\/)/.test(path)),
  )
  return Object.fromEntries(entries.map(([path, hash]) => [withoutWriter(path), hash]))
}

describe('a training run that is killed between two writes, or in the middle of one', () => {
  test('can be so within and between all files of a checkpoint, while an old one goes, and between traces and it', () => {
    const files = ['learner/embedded.f64', 'learner/embedded.json', 'learner/tools.json', '.checkpoint.json.tmp']
    const written = [...files, 'policies/after_3.bin', 'policies/after_4.bin'].map((name) => {
      return `checkpoints/.step_4.tmp/${name}`
    })
    expect(pathsOf('write half')).toEqual(expect.arrayContaining([...written, 'checkpoints/.latest.tmp']))
    expect(pathsOf('append half')).toEqual(
      expect.arrayContaining(['checkpoints/.step_4.tmp/memory.jsonl', 'metrics.jsonl', 'timings.jsonl']),
    )
    expect(pathsOf('rm half')).toEqual(expect.arrayContaining(['checkpoints/step_2', 'checkpoints/step_4']))
    const renamed = pathsOf('rename')
    const inOrder = ['rollouts/step_3/train/all/traces.jsonl', 'checkpoints/step_4', 'checkpoints/latest']
    const at = inOrder.map((path) => renamed.lastIndexOf(path))
    expect(at).not.toContain(-1)
    expect(at).toEqual([...at].sort((a, b) => a - b))
  })

  test('leaves what the copy of that moment holds', async () => {
    const begun = moments.filter(hasBegun)
    const some = begun.filter(({ path }, index) => index % 60 === 0 || path === 'checkpoints/latest')
    const runs = await twoAtATime(some, ({ number }) => {
      return killedRun(project, `kill-${number}`, { NODE_OPTIONS: preload, KILL_AT: String(number) })
    })
    for (const [index, run] of runs.entries()) {
      const { folder, what, path } = some[index] as Moment
      expect(contentOf(run), `killed before: ${what} ${path}`).toEqual(contentOf(folder))
    }
  })

  test('ends like one that was not, once it is resumed', { timeout: 600_000 }, async () => {
    const begun = moments.filter(hasBegun)
    expect(begun.length).toBeGreaterThan(150)
    await resumeAll(
      project,
      begun.map(({ folder }) => folder),
    )
    for (const { folder, what, path } of begun) {
      expect(resultsOf(folder), `killed before: ${what} ${path}`).toEqual(straight)
    }
  })

  test('before it has begun is passed over by resume', async () => {
    const variables = { NODE_OPTIONS: preload, KILL_AT: '5' }
    const half = await killedRun(project, 'half', variables)
    expect(existsSync(join(half, 'metadata.json'))).toBe(false)
    const output = ['--set', 'output.directory=half/outputs']
    expect(await project.failure(['resume', ...output], 2)).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    await project.run('sh', ['-c', `exec $RLENV train ${output.join(' ')}`], { CRASH_AT: '20' })
    expect(await project.json(['resume', ...output])).toMatchObject({ status: 'done', finishedSteps: 5 })
  })
})

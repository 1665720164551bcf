import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { treeOf } from './file-tree.ts'
import { type Progress, Project, smallConfig } from './project.ts'

const steps = 16
const train = ['train', '--steps', String(steps)]
const project = new Project({ 'rlenv.config.ts': smallConfig() })
let reference: ReturnType<typeof resultsOf>

beforeAll(async () => {
  reference = resultsOf((await project.json<{ directory: string }>(train)).directory)
})
afterAll(() => project.remove())

/** Sends one signal when the first step is done, and nothing after that. */
const atFirstStep =
  (signal: NodeJS.Signals) =>
  ({ stderr, sent }: Progress) => {
    return sent === 0 && stderr.includes(`steps 1/${steps}`) ? signal : null
  }

/** Everything that two runs of one configuration must have in common. */
function resultsOf(directory: string) {
  const { directory: _own, ...summary } = JSON.parse(readFileSync(`${directory}/summary.json`, 'utf8'))
  return {
    summary,
    traces: treeOf(directory, (path) => /^(rollouts|evaluations)\//.test(path)),
    metrics: metricsOf(directory),
  }
}

/** The lines of metrics.jsonl without how long things took. */
function metricsOf(directory: string): readonly object[] {
  const lines = readFileSync(`${directory}/metrics.jsonl`, 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const entries = Object.entries(JSON.parse(line) as object).filter(
      ([name]) => !/^time\/|_ms$|_per_second$/.test(name),
    )
    return Object.fromEntries(entries)
  })
}

function attemptsOf(directory: string): readonly { readonly status: string | null }[] {
  return JSON.parse(readFileSync(`${directory}/metadata.json`, 'utf8')).attempts
}

/** Folder of the run that was begun last: later runs of one configuration have a number behind their name. */
function latestRun(): string {
  const run = project.runDirectories().at(-1)
  if (run === undefined) throw new Error('there is no run')
  return run
}

describe('a training run', () => {
  test('that was interrupted ends with 130, says how to go on, and ends as if it had never stopped', async () => {
    const stopped = await project.interrupt(train, atFirstStep('SIGINT'))
    expect(stopped.code).toBe(130)
    expect(stopped.stderr).toContain('stopping in order')
    expect(stopped.stderr).toContain('RLENV_INTERRUPTED')
    const run = latestRun()
    expect(stopped.stderr).toContain(`rlenv resume ${run}`)
    expect(attemptsOf(run)).toEqual([expect.objectContaining({ status: 'interrupted' })])
    expect(existsSync(`${run}/summary.json`)).toBe(false)

    const resumed = await project.json<{ directory: string }>([...train, '--resume'])
    expect(resumed).toMatchObject({ status: 'done', steps, directory: run })
    expect(attemptsOf(run).map(({ status }) => status)).toEqual(['interrupted', 'done'])
    expect(resultsOf(run)).toEqual(reference)
  })
  test('that was killed goes on from its last checkpoint, with a torn line set aside', async () => {
    const sparse = [...train, '--set', 'training.checkpointEverySteps=5']
    await project.interrupt(sparse, atFirstStep('SIGKILL'))
    const run = latestRun()
    expect(attemptsOf(run)).toEqual([expect.objectContaining({ status: null })])
    appendFileSync(`${run}/metrics.jsonl`, '{"step":1,"policy_ver')

    const resumed = await project.json<{ directory: string }>([...sparse, '--resume'])
    expect(resumed).toMatchObject({ status: 'done', steps, directory: run })
    expect(readFileSync(`${run}/metrics.jsonl.torn`, 'utf8')).toBe('{"step":1,"policy_ver\n')
    expect(resultsOf(run)).toEqual(reference)
  })
  test('that was interrupted prints one document with --json', async () => {
    const { code, stdout } = await project.interrupt([...train, '--json'], atFirstStep('SIGINT'))
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted', error: { code: 'RLENV_INTERRUPTED' } })
  })
  test('ends at the second Ctrl-C even while a plugin never settles', async () => {
    const plugin = `definePlugin({ name: 'deaf', options: z.strictObject({}), setup: () => ({
      algorithm: () => ({ name: 'deaf', batch: () => { console.error('deaf now'); return new Promise(() => {}) } }),
    }) })()`
    const imports = `import { definePlugin } from 'rlenv'\nimport { z } from 'zod'\n`
    project.write('deaf.config.ts', smallConfig(`plugins: [${plugin}],`, imports))
    const ended = await project.interrupt([...train, '-c', 'deaf.config.ts'], ({ stderr, sent }) => {
      if (sent === 0) return stderr.includes('deaf now') ? 'SIGINT' : null
      return sent === 1 && stderr.includes('stopping in order') ? 'SIGINT' : null
    })
    expect(ended.code).toBe(130)
  })
  test.each([[[]], [['--json']]])('ends at the first Ctrl-C while its configuration never loads (%j)', async (more) => {
    const stuck = `console.error('loading now')\nawait new Promise(() => setInterval(() => {}, 1000))\nexport default {}`
    project.write('stuck.config.mts', stuck)
    const { code, stdout, stderr } = await project.interrupt(
      ['train', '-c', 'stuck.config.mts', ...more],
      (progress) => {
        return progress.sent === 0 && progress.stderr.includes('loading now') ? 'SIGINT' : null
      },
    )
    expect(code).toBe(130)
    expect(more.length === 0 ? stderr : stdout).toContain('RLENV_INTERRUPTED')
    if (more.length > 0) expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted' })
  })
  test('is not resumed with another seed, under whatever name', async () => {
    const error = await project.failure([...train, '--resume', latestRun(), '--seed', '12'], 2)
    expect(error).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    expect(error.message).toMatch(/seed/)
  })
  test('cannot be made shorter than it is', async () => {
    const [ended = ''] = project.runDirectories()
    const error = await project.failure(['train', '--resume', ended, '--steps', '7'], 2)
    expect(error).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    expect(error.message).toContain(`has finished ${steps} steps, more than training.steps = 7`)
  })
  test('that never began cannot be resumed', async () => {
    const elsewhere = ['--set', 'output.directory=elsewhere']
    const error = await project.failure(['train', '--resume', ...elsewhere], 2)
    expect(error).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    expect(error.fix).toContain('Start one with "rlenv train"')
  })
})

import { spawn } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/determinism/clock.ts'
import { readTraces } from '../../src/runs/read-traces.ts'
import { RunDirectory, type RunOptions } from '../../src/runs/run-directory.ts'
import { groupOf, judgedOf } from '../../src/testing/trajectories.ts'

let root: string
const opened: RunDirectory[] = []
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rlenv-runs-'))
})
afterEach(async () => {
  for (const run of opened.splice(0)) await run.close()
  await rm(root, { recursive: true, force: true })
})

async function create(options = optionsFor()): Promise<RunDirectory> {
  const run = await RunDirectory.create(options)
  opened.push(run)
  return run
}

async function resume(directory?: string, options = optionsFor()): Promise<RunDirectory> {
  const run = await RunDirectory.resume(options, directory)
  opened.push(run)
  return run
}

const optionsFor = (config: unknown = { seed: 1 }): RunOptions => ({
  root,
  kind: 'train',
  name: 'first run',
  model: 'Qwen/Qwen3-4B',
  config,
  clock: { ...systemClock, now: () => Date.UTC(2026, 0, 1) },
  details: { seed: 1 },
})

async function linesOf(path: string): Promise<unknown[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

async function idsIn(path: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { trajectory } of readTraces(path)) ids.push(`${trajectory.id}#${trajectory.attempt}`)
  return ids
}

describe('RunDirectory', () => {
  test('lies where its kind, name, model and configuration say', async () => {
    const run = await create()
    expect(run.directory).toMatch(new RegExp(`^${root}/train/first_run--Qwen_Qwen3-4B--[0-9a-f]{8}$`))
    expect(JSON.parse(await readFile(join(run.directory, 'config.resolved.json'), 'utf8'))).toEqual({ seed: 1 })
    expect(JSON.parse(await readFile(join(run.directory, 'metadata.json'), 'utf8'))).toMatchObject({
      format: 1,
      run_id: run.id,
      kind: 'train',
      details: { seed: 1 },
      attempts: [{ attempt: 1, started_at: '2026-01-01T00:00:00.000Z', ended_at: null, status: null }],
    })
    expect(await readlink(join(run.directory, 'logs', 'latest'))).toBe('attempt_1')
  })

  test('a second fresh run of the same configuration leaves the first alone', async () => {
    const first = await create()
    await first.record([judgedOf(1)])
    const second = await create()
    expect(second.directory).toBe(`${first.directory}-2`)
    expect(await idsIn(first.tracesPath)).toEqual(['d0/0#1'])
    expect((await create(optionsFor({ seed: 2 }))).directory).not.toContain(first.id)
    expect((await create(optionsFor({ seed: 1, file: '/elsewhere', baseDirectory: '/' }))).id).toBe(`${first.id}-3`)
  })

  test('puts failures beside the results and leaves no line of what was cancelled', async () => {
    const run = await create()
    await run.record(groupOf([1, 'policy_fault', 'environment_fault', 'unscored', 'cancelled']).members)
    await run.finish('done')
    expect(await idsIn(run.tracesPath)).toEqual(['d0/0#1', 'd0/1#1'])
    expect(await idsIn(run.failuresPath)).toEqual(['d0/2#1', 'd0/3#1'])
    expect(run.metadata.attempts).toMatchObject([{ status: 'done', ended_at: '2026-01-01T00:00:00.000Z' }])
  })

  test('keeps failed attempts under their number', async () => {
    const run = await create()
    const failed = judgedOf('environment_fault')
    await run.failedAttempts([failed])
    await run.record([{ ...judgedOf(1), trajectory: { ...failed.trajectory, attempt: 2 } }])
    expect(await idsIn(run.failuresPath)).toEqual(['d0/0#1'])
    expect(await idsIn(run.tracesPath)).toEqual(['d0/0#2'])
    const [line] = await linesOf(run.failuresPath)
    expect(line).toMatchObject({ retried: true, error: { blame: 'environment' } })
  })

  test('keeps wall-clock times in a file of their own', async () => {
    const run = await create()
    await run.timings([{ id: 'd0/0', attempt: 1, startedAt: 0, durationMs: 12 }])
    await run.timings([])
    await run.close()
    expect(await linesOf(join(run.directory, 'timings.jsonl'))).toEqual([
      { id: 'd0/0', attempt: 1, started_at: '1970-01-01T00:00:00.000Z', duration_ms: 12 },
    ])
  })
})

describe('resuming', () => {
  test('finds the latest run of the same configuration and counts the starts', async () => {
    await (await create()).finish('done')
    const second = await create()
    await second.finish('interrupted')
    const resumed = await resume()
    expect(resumed.directory).toBe(second.directory)
    expect(resumed.attempt).toBe(2)
    expect(await readlink(join(resumed.directory, 'logs', 'latest'))).toBe('attempt_2')
    expect(resumed.metadata.attempts.map(({ status }) => status)).toEqual(['interrupted', null])
  })

  test('refuses when there is no such run, or the folder is none', async () => {
    await expect(resume()).rejects.toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    await expect(resume(root)).rejects.toMatchObject({
      code: 'RLENV_RESUME_REFUSED',
      message: expect.stringContaining('is not the folder of a run'),
    })
  })

  test('refuses a folder that another living process writes, and takes over what a dead one left', async () => {
    const run = await create()
    const lock = join(run.directory, 'run.lock')
    const writer = spawn('sleep', ['60'])
    await writeFile(lock, JSON.stringify({ pid: writer.pid, host: hostname() }))
    await expect(resume()).rejects.toMatchObject({
      code: 'RLENV_RESUME_REFUSED',
      message: `process ${writer.pid} is writing ${run.directory}`,
    })
    await new Promise((resolve) => {
      writer.on('close', resolve)
      writer.kill()
    })
    const resumed = await resume()
    expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ pid: process.pid })
    await resumed.close()
    expect(await readdir(run.directory)).not.toContain('run.lock')
  })

  test('keeps the first configuration and notes another one with the start that used it', async () => {
    const run = await create()
    const resumed = await resume(run.directory, optionsFor({ seed: 1, steps: 9 }))
    expect(JSON.parse(await readFile(join(run.directory, 'config.resolved.json'), 'utf8'))).toEqual({ seed: 1 })
    expect(JSON.parse(await readFile(join(resumed.logDirectory, 'config.resolved.json'), 'utf8'))).toEqual({
      seed: 1,
      steps: 9,
    })
  })

  test('sets the torn tail of a crash aside, reports it, and writes no rollout twice', async () => {
    const run = await create()
    await run.record(groupOf([1, -1]).members)
    await run.close()
    await appendFile(run.tracesPath, '{"id":"d1/0","task')
    const resumed = await resume()
    expect(resumed.tornTails).toEqual([{ file: run.tracesPath, movedTo: `${run.tracesPath}.torn`, bytes: 18 }])
    expect(resumed.isRecorded('d0', 1)).toBe(true)
    expect(resumed.isRecorded('d1', 0)).toBe(false)
    await resumed.record([...groupOf([1, -1]).members, ...groupOf([1], { ordinal: 1 }).members])
    expect(await idsIn(run.tracesPath)).toEqual(['d0/0#1', 'd0/1#1', 'd1/0#1'])
  })

  test('a kill in the middle of writing loses no line that was acknowledged', async () => {
    const run = await create()
    const script = join(import.meta.dirname, 'fixtures', 'record-until-killed.mjs')
    const child = spawn(process.execPath, [script, run.directory, root])
    let acknowledged = 0
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (data) => {
        acknowledged = Number(String(data).trim().split('\n').at(-1))
        if (acknowledged >= 20) child.kill('SIGKILL')
      })
      child.on('close', () => resolve())
    })
    const resumed = await resume(run.directory)
    const ids = await idsIn(resumed.tracesPath)
    expect(acknowledged).toBeGreaterThanOrEqual(20)
    expect(ids.length).toBeGreaterThanOrEqual(acknowledged)
    expect(ids).toEqual(ids.map((_, index) => `d${index}/0#1`))
    await resumed.finish('done')
  }, 60_000)
})

describe('the records of training', () => {
  const group = (ordinal: number) => groupOf([1, 'cancelled', -1], { ordinal })

  async function trained(steps: number): Promise<RunDirectory> {
    const run = await create()
    await run.metrics({ step: 0, 'eval/pass@1': 0.2 })
    await run.evaluation({ step: 0 })
    for (let step = 0; step < steps; step++) {
      await run.rollouts({ step, split: 'train', set: 'all' }, [group(step)])
      await run.metrics({ step, 'reward/mean': step })
    }
    await run.rollouts({ step: steps, split: 'eval', set: 'all' }, [group(99)])
    await run.metrics({ step: steps, 'eval/pass@1': 0.4 })
    await run.evaluation({ step: steps })
    return run
  }
  const traces = (run: RunDirectory, place: string) => join(run.directory, 'rollouts', place, 'traces.jsonl')

  test('lie in one folder per step, whole, and are replaced when written again', async () => {
    const run = await trained(2)
    expect(await idsIn(traces(run, 'step_1/train/all'))).toEqual(['d1/0#1', 'd1/2#1'])
    await run.rollouts({ step: 1, split: 'train', set: 'all' }, [group(5)])
    expect(await idsIn(traces(run, 'step_1/train/all'))).toEqual(['d5/0#1', 'd5/2#1'])
    expect(await run.readEvaluation<{ step: number }>(2)).toEqual({ step: 2 })
    expect(await run.readEvaluation(1)).toBeNull()
  })

  test('of steps beyond a checkpoint are set aside, not removed', async () => {
    const run = await trained(3)
    await run.finish('interrupted')
    const resumed = await resume()
    await resumed.rewind(1)
    expect(await linesOf(join(run.directory, 'metrics.jsonl'))).toEqual([
      { step: 0, 'eval/pass@1': 0.2 },
      { step: 0, 'reward/mean': 0 },
    ])
    expect(await readdir(join(run.directory, 'rollouts'))).toEqual(['step_0', 'step_1'])
    expect(await readdir(join(run.directory, 'rollouts', 'step_1'))).toEqual([])
    expect(await resumed.readEvaluation(3)).toBeNull()
    const aside = join(resumed.logDirectory, 'superseded')
    expect(await idsIn(join(aside, 'rollouts/step_2/train/all/traces.jsonl'))).toEqual(['d2/0#1', 'd2/2#1'])
    expect(await linesOf(join(aside, 'metrics.jsonl'))).toHaveLength(3)
    await resumed.metrics({ step: 1, 'reward/mean': 7 })
    expect(await linesOf(join(run.directory, 'metrics.jsonl'))).toHaveLength(3)
  })

  test('stay as they are when a finished run is opened at its end', async () => {
    const run = await trained(2)
    await run.rewind(2)
    expect(await linesOf(join(run.directory, 'metrics.jsonl'))).toHaveLength(4)
    expect(await idsIn(traces(run, 'step_2/eval/all'))).toHaveLength(2)
  })
})

describe('an output folder that cannot be written', () => {
  test('is refused before any work when a file stands in its place', async () => {
    await writeFile(join(root, 'train'), '')
    await expect(create()).rejects.toMatchObject({
      code: 'RLENV_OUTPUT_UNWRITABLE',
      message: expect.stringContaining(join(root, 'train')),
    })
  })

  test('is refused before any work when it is read-only', async () => {
    const isRoot = process.geteuid?.() === 0
    await chmod(root, 0o555)
    if (isRoot) process.seteuid?.(65_534)
    try {
      await expect(create()).rejects.toMatchObject({ code: 'RLENV_OUTPUT_UNWRITABLE' })
    } finally {
      if (isRoot) process.seteuid?.(0)
      await chmod(root, 0o755)
    }
    expect((await stat(root)).isDirectory()).toBe(true)
    expect(await readdir(root)).toEqual([])
  })

  test('takes secrets out of every file that it writes', async () => {
    const redact = (text: string) => text.replaceAll('sk-123', '[secret KEY]')
    const run = await create({ ...optionsFor(), redact })
    const outcome = { kind: 'unscored', code: 'verifier_failed', message: '401 with sk-123' } as const
    const group = groupOf(['unscored'])
    const members = group.members.map((member) => ({ ...member, outcome }))
    await run.record(members)
    await run.failedAttempts(members)
    await run.rollouts({ step: 0, split: 'train', set: 'all' }, [{ ...group, members }])
    await run.summary({ warning: 'sk-123 was refused' })
    await run.file('report.html', '<p>sk-123</p>')
    await run.close()
    const names = (await readdir(run.directory, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
    const texts = await Promise.all(names.map((one) => readFile(join(one.parentPath, one.name), 'utf8')))
    expect(texts.filter((text) => text.includes('[secret KEY]'))).toHaveLength(4)
    expect(texts.filter((text) => text.includes('sk-123'))).toEqual([])
  })
})

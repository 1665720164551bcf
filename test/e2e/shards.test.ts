import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgedTrajectory, RolloutMode } from 'rlenv'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { treeOf } from './file-tree.ts'
import {
  attackScript,
  type HostileOptions,
  type HostileRun,
  hostileConfig,
  hostileRun,
  playAll,
  scriptedLibrary,
} from './hostile-world.ts'
import { Project, smallConfig } from './project.ts'

const project = new Project({ 'rlenv.config.mjs': hostileConfig, 'attack.mjs': attackScript })
const file = project.path('rlenv.config.mjs')
const open: HostileRun[] = []

async function run(options: HostileOptions): Promise<HostileRun> {
  const started = await hostileRun(file, options)
  open.push(started)
  return started
}

afterEach(async () => {
  for (const { engine } of open.splice(0)) await engine.close()
})
afterAll(() => project.remove())

const short = { toolTimeoutMs: 1_000 }

/** The members of the first draw, which attacked, and those of the others. */
function split(members: readonly JudgedTrajectory[]) {
  const isBad = ({ trajectory }: JudgedTrajectory) => trajectory.drawId === 'd0'
  return { bad: members.filter(isBad), good: members.filter((member) => !isBad(member)) }
}

/** What an untouched run of the same tasks comes to. */
async function reference(): Promise<readonly JudgedTrajectory[]> {
  return split(await playAll(await run({ mode: 'inline' }))).good
}

const sharded: readonly RolloutMode[] = ['workers', 'processes']

describe.each(sharded)('rollouts in %s', (mode) => {
  test('are the same bytes as in the main thread, with one shard or several', async () => {
    const inline = await playAll(await run({ mode: 'inline' }), 3)
    expect(inline.every(({ verdict }) => verdict?.passed)).toBe(true)
    for (const shards of [1, 3]) {
      const members = await playAll(await run({ mode, rollout: { shards } }), 3)
      expect(JSON.stringify(members)).toBe(JSON.stringify(inline))
    }
  })
  test.each(['loop', 'late'])('survive a %s without end: it alone is an environment fault', async (attack) => {
    const { bad, good } = split(await playAll(await run({ mode, attack, rollout: short })))
    expect(bad.map(({ outcome }) => outcome)).toEqual(
      bad.map(() => expect.objectContaining({ kind: 'environment_fault', code: 'world_hung' })),
    )
    if (attack === 'loop') expect(JSON.stringify(bad)).toContain('tool loop of tiny-library')
    expect(JSON.stringify(good)).toBe(JSON.stringify(await reference()))
  })
  test('survive a tool that ends its thread or process', async () => {
    const { bad, good } = split(await playAll(await run({ mode, attack: 'exit' })))
    for (const { outcome } of bad) {
      expect(outcome).toMatchObject({ kind: 'environment_fault', code: 'world_crashed', retryable: true })
    }
    expect(JSON.stringify(good)).toBe(JSON.stringify(await reference()))
  })
  test('survive a tool that takes all memory', async () => {
    const memory = { shardMemoryMib: 256, toolTimeoutMs: 20_000 }
    const { bad, good } = split(await playAll(await run({ mode, attack: 'memory', rollout: memory }), 1))
    expect(bad[0]?.outcome).toMatchObject({ kind: 'environment_fault', code: 'world_crashed' })
    expect(good.every(({ verdict }) => verdict?.passed)).toBe(true)
  })
  test.each([
    ['joins an array of 2 ** 31', `function () { return Array(2 ** 31).join('x').length }`],
    [
      'searches a long text slowly',
      `function () { const a = 'a'.repeat(4e6); return a.indexOf('a'.repeat(2e6) + 'b') }`,
    ],
  ])('survive a script that %s, which its interrupt handler never sees', async (_what, body) => {
    const environment = scriptedLibrary(body)
    const { bad, good } = split(await playAll(await run({ mode, environment, attack: 'scripted', rollout: short }), 1))
    expect(bad[0]?.outcome).toMatchObject({ kind: 'environment_fault' })
    expect(good.every(({ verdict }) => verdict?.passed)).toBe(true)
  })
})

test('a process that is stuck in SQL is ended at its deadline, and its other rollouts go on in one that stands ready', async () => {
  const toolTimeoutMs = 4_000
  const started = await run({ mode: 'processes', attack: 'sql', rollout: { toolTimeoutMs }, delayMs: 50 })
  const { bad, good } = split(await playAll(started, 1))
  expect(bad[0]?.outcome).toMatchObject({ code: 'world_hung', message: expect.stringContaining('tool sql of') })
  expect(good.every(({ verdict }) => verdict?.passed)).toBe(true)
  const deadline = (started.asked.find(({ task }) => task === bad[0]?.trajectory.taskId)?.at ?? 0) + toolTimeoutMs
  const resumed = started.asked.find(({ at }) => at > deadline)
  expect((resumed?.at ?? Number.NaN) - deadline).toBeLessThan(1_500)
})

test('a process that is stopped as a whole is ended when it gives no sign of life, and its other rollouts go on', async () => {
  const { bad, good } = split(await playAll(await run({ mode: 'processes', attack: 'stop', rollout: short }), 1))
  expect(bad[0]?.outcome).toMatchObject({
    kind: 'environment_fault',
    code: 'world_crashed',
    message: expect.stringContaining('no sign of life'),
  })
  expect(good.every(({ verdict }) => verdict?.passed)).toBe(true)
}, 60_000)

test('a thread that is stuck in SQL is given up with advice, and the run goes on without it', async () => {
  const child = await project.run('sh', [
    '-c',
    `cd ${project.directory} && exec ${process.execPath} attack.mjs workers sql`,
  ])
  expect(child.stdout).toContain('so set rollout.mode to "processes"')
  expect(child.stdout).toContain('"code":"world_hung"')
  expect(child.stdout).toContain('"passed":true')
}, 20_000)

test('a parent that is killed leaves no process behind, not even one that is stuck in SQL', async () => {
  const pids = project.path('pids')
  const parent = spawn(process.execPath, ['attack.mjs', 'processes', 'sql', '60000'], {
    cwd: project.directory,
    env: { ...process.env, HOSTILE_PIDS: pids },
    stdio: 'ignore',
  })
  const pid = await eventually(() => (existsSync(pids) ? Number.parseInt(readFileSync(pids, 'utf8'), 10) : null))
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await eventually(() => (isAlive(pid) ? null : true))
})

describe('training', () => {
  const small = new Project({ 'rlenv.config.ts': smallConfig() })
  afterAll(() => small.remove())
  const train = (mode: string) => ['train', '--set', `rollout.mode=${mode}`, '--set', 'rollout.shards=2']
  const written = (directory: string) => treeOf(directory, (path) => /^(rollouts|evaluations|metrics)/.test(path))

  test('writes the same bytes in every mode, also when it was interrupted and resumed', async () => {
    const inline = await small.json<{ directory: string }>(train('inline'))
    const expected = written(inline.directory)
    for (const mode of sharded) {
      const { directory } = await small.json<{ directory: string }>(train(mode))
      expect(written(directory)).toEqual(expected)
    }
    const stopped = await small.interrupt(train('processes'), ({ stderr, sent }) => {
      return sent === 0 && stderr.includes('steps 1/3') ? 'SIGINT' : null
    })
    expect(stopped.code).toBe(130)
    const resumed = await small.json<{ directory: string }>([...train('processes'), '--resume'])
    expect(written(resumed.directory)).toEqual(expected)
  })
  test('says what is wrong when a shard loads another configuration than the run', async () => {
    small.write('rlenv.other.config.ts', smallConfig('plugins: [odd()],', oddPlugin))
    const error = await small.failure([...train('processes'), '-c', 'rlenv.other.config.ts'], 1)
    expect(error).toMatchObject({ code: 'RLENV_SHARD_FAILED' })
    expect(error.message).toContain('another configuration')
  })
})

/** Its version differs from process to process. */
const oddPlugin = `import { z } from 'zod'
import { definePlugin } from 'rlenv'
const odd = definePlugin({ name: 'odd', version: String(process.pid), options: z.strictObject({}), setup: () => ({ watch: () => {} }) })
`

async function eventually<Value>(look: () => Value | null): Promise<Value> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    const seen = look()
    if (seen !== null && !Number.isNaN(seen)) return seen
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it never came')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that has ended and that nobody has asked about yet still has its number.
    return !/^\S+ \(.*\) Z/.test(readFileSync(join('/proc', String(pid), 'stat'), 'utf8'))
  } catch {
    return false
  }
}

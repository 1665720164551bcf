import type { EvaluationReport, JudgedTrajectory } from 'rlenv'
import { afterAll, describe, expect, test } from 'vitest'
import { Project } from '../../e2e/project.ts'
import { everything, filesystem, memory } from './real-servers.ts'

const environments = [everything, filesystem, memory]

/** A policy that carries reference solutions out, or answers at once that all is done. */
const policy = `import { definePlugin } from 'rlenv'
import { z } from 'zod'

export const scriptedPolicy = definePlugin({
  name: 'scripted-policy',
  options: z.strictObject({ tasks: z.array(z.any()), lazy: z.boolean().default(false) }),
  setup: ({ tasks, lazy }) => ({
    policy: () => ({
      name: lazy ? 'lazy' : 'gold',
      policyVersion: 0,
      sample({ messages, sampling }) {
        const asked = messages.find(({ role }) => role === 'user').content
        const { calls, answer } = tasks.find(({ instruction }) => instruction === asked)
        const step = messages.filter(({ role }) => role === 'tool').length
        const call = lazy ? undefined : calls[step]
        const message = call === undefined
          ? { role: 'assistant', content: lazy ? 'All done.' : String(answer ?? 'Done.') }
          : { role: 'assistant', content: null, tool_calls: [{ id: 'c' + step, type: 'function',
              function: { name: call.tool, arguments: JSON.stringify(call.arguments) } }] }
        return {
          message,
          span: { role: 'act', policyVersion: 0, temperature: sampling.temperature, actions: [0], logProbs: [0] },
          finish: 'stop',
          usage: { promptTokens: 0, completionTokens: 1 },
        }
      },
    }),
  }),
})
`

const configuration = (lazy: boolean, extra: readonly unknown[] = []) => `
import { codeVerifier } from '@rlenv/verifier-code'
import { ternaryShaper } from '@rlenv/shaper-ternary'
import { mcpWorld } from '@rlenv/world-mcp'
import { defineConfig } from 'rlenv'
import { scriptedPolicy } from './policy.js'

const environments = ${JSON.stringify([...environments, ...extra])}

export default defineConfig({
  plugins: [
    mcpWorld({ environments, maxConcurrent: 4 }),
    codeVerifier(),
    ternaryShaper(),
    scriptedPolicy({ tasks: environments.flatMap(({ tasks }) => tasks), lazy: ${lazy} }),
  ],
  rollout: { maxConcurrentRollouts: 4, maxAttempts: 1 },
  evaluation: { rolloutsPerTask: 2, greedy: false },
  seed: 3,
})
`

const broken = {
  id: 'broken',
  server: { command: 'no-such-mcp-server' },
  tasks: [{ instruction: 'Go on.', calls: [], answer: 1 }],
}

const project = new Project({
  'package.json': '{ "type": "module" }',
  'policy.js': policy,
  'gold.config.js': configuration(false),
  'lazy.config.js': configuration(true),
  'broken.config.js': configuration(false, [broken]),
})
afterAll(() => project.remove())

describe('rlenv with environments of MCP servers', () => {
  test('rollout plays a task on the live server and judges it', async () => {
    const args = ['rollout', 'filesystem/order', '-c', 'gold.config.js']
    const { rollouts } = await project.json<{ rollouts: readonly JudgedTrajectory[] }>(args)
    expect(rollouts).toHaveLength(1)
    const [judged] = rollouts
    expect(judged?.verdict?.evidence.filter(({ passed }) => !passed)).toEqual([])
    expect(judged).toMatchObject({ outcome: { kind: 'scored' }, reward: 1, verdict: { passed: true } })
    expect(judged?.trajectory.turns[0]?.calls[0]).toMatchObject({ serverName: 'write_file', result: { ok: true } })
  })

  test('equal seeds leave equal traces', async () => {
    const play = () => project.json<{ rollouts: unknown }>(['rollout', '-n', '4', '-c', 'gold.config.js'])
    const [first, second] = [await play(), await play()]
    expect(second.rollouts).toEqual(first.rollouts)
  })

  test('eval counts every task of every server, and reference solutions pass', async () => {
    const report = await project.json<EvaluationReport>(['eval', '--split', 'all', '-c', 'gold.config.js'])
    const { sampled } = report
    expect(report).toMatchObject({ environments: 3, tasks: 5, sampled: { rollouts: 10, errors: {}, meanReward: 1 } })
    expect(sampled.pass1.value).toBe(1)
    expect(sampled.byEnvironment.map(({ name, pass1 }) => [name, pass1])).toEqual([
      ['everything', 1],
      ['filesystem', 1],
      ['memory', 1],
    ])
  })

  test('a policy that does nothing fails every task', async () => {
    const args = ['rollout', '-n', '5', '-c', 'lazy.config.js']
    const { rollouts } = await project.json<{ rollouts: readonly JudgedTrajectory[] }>(args)
    expect(rollouts.map(({ outcome, verdict }) => [outcome.kind, verdict?.passed])).toEqual(
      Array.from({ length: 5 }, () => ['scored', false]),
    )
  })

  test('a server that does not start is a fault of its own rollouts only', async () => {
    const { stderr, stdout } = await project.rlenv('rollout', '-n', '6', '-c', 'broken.config.js', '--json')
    const { rollouts } = JSON.parse(stdout) as { rollouts: readonly JudgedTrajectory[] }
    expect(stderr).toContain('no-such-mcp-server')
    const kinds = rollouts.map(({ trajectory, outcome }) => [trajectory.environmentId, outcome.kind])
    expect(kinds.filter(([id]) => id === 'broken')).toEqual([['broken', 'environment_fault']])
    expect(kinds.filter(([id, kind]) => id !== 'broken' && kind === 'scored')).toHaveLength(5)
  })

  test('in strict mode it stops before anything is played', async () => {
    project.write(
      'strict.config.js',
      configuration(false, [broken]).replace('maxConcurrent: 4 }', 'maxConcurrent: 4, strict: true }'),
    )
    const error = await project.failure(['rollout', '-c', 'strict.config.js'], 1)
    expect(error).toMatchObject({ code: 'RLENV_SERVER_FAILED', message: expect.stringContaining('ENOENT') })
  })

  test('a misspelt option and a task that nothing can judge are named', async () => {
    project.write('typo.config.js', configuration(false).replace('"args"', '"argz"'))
    const typo = await project.failure(['rollout', '-c', 'typo.config.js'], 2)
    expect(typo).toMatchObject({ code: 'RLENV_PLUGIN_OPTIONS', message: expect.stringContaining('argz') })
    const aimless = { id: 'aimless', server: memory.server, tasks: [{ instruction: 'Do something.' }] }
    project.write('aimless.config.js', configuration(false, [aimless]))
    const error = await project.failure(['rollout', '-c', 'aimless.config.js'], 3)
    expect(error).toMatchObject({ code: 'RLENV_TASK_INVALID', message: expect.stringContaining('aimless/t1') })
  })
})

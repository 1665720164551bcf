import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { announceSkip, installAwm, installRelease, type ReleaseName, runClient } from './python-clients.ts'
import { ServedBundles } from './served-bundles.ts'

const controlToken = 'for-trainers-only'

/** Whoever has no way to send headers carries the control token in his address. */
let served: ServedBundles
const addressOf = (path: string) => `${served.url.replace('//', `//trainer:${controlToken}@`)}${path}`
beforeAll(async () => {
  served = await ServedBundles.start({ variables: { RLENV_CONTROL_TOKEN: controlToken } })
})
afterAll(() => served?.stop())

interface PlayedGeneric {
  readonly played: readonly {
    readonly instruction: string
    readonly tools: number
    readonly errors: readonly unknown[]
    readonly verify_as_tool: string
    readonly reward: number
    readonly done: boolean
    readonly state: { readonly episode_id: string; readonly step_count: number }
  }[]
  readonly synchronous: { readonly reward: number; readonly done: boolean }
}

interface PlayedTools {
  readonly tools: readonly string[]
  readonly results: readonly unknown[]
  readonly metadata: { readonly task: string }
  readonly unknown: string | null
  readonly verify_as_tool: string | null
}

interface PlayedAwm {
  readonly instruction: string
  readonly tools: number
  readonly steps: readonly string[]
  readonly scenarios: number
}

interface Validation {
  readonly passed: boolean
  readonly criteria: readonly { readonly id: string; readonly passed: boolean }[]
}

for (const name of ['core-0.3', 'openenv-0.10'] as const satisfies readonly ReleaseName[]) {
  const installed = await installRelease(name)
  describe.skipIf(announceSkip(`the clients of ${name}`, installed))(`the unmodified clients of ${name}`, () => {
    test('GenericEnvClient solves every task by its gold calls, and none by doing nothing', async () => {
      const { played, synchronous } = await runClient<PlayedGeneric>(
        installed,
        'generic.py',
        addressOf('/openenv'),
        served.tasks,
      )
      expect(played).toHaveLength(served.tasks.length)
      for (const [index, { calls, instruction }] of served.tasks.entries()) {
        expect(played[index]).toMatchObject({
          instruction,
          tools: expect.any(Number),
          errors: calls.map(() => null),
          verify_as_tool: 'tool_not_found',
          reward: 1,
          done: true,
          state: { episode_id: 'ep-1', step_count: calls.length + 3 },
        })
      }
      expect(synchronous).toEqual({ reward: 0, done: true })
    })

    test('nobody comes in without the control token', async () => {
      const play = runClient(installed, 'generic.py', `${served.url}/openenv`, served.tasks)
      await expect(play).rejects.toThrow('401')
    })

    test('MCPToolClient lists and calls the same tools by steps and by JSON-RPC over HTTP', async () => {
      // The client's own call_tool(name, **arguments) cannot pass an argument that is called "name".
      const task = served.tasks.find(({ calls }) => calls.every((call) => !('name' in call.arguments)))
      const url = addressOf('/openenv')
      const { steps, http } = await runClient<Record<'steps' | 'http', PlayedTools>>(installed, 'tools.py', url, task)
      expect(steps.tools.length).toBeGreaterThan(0)
      expect(http.tools).toEqual(steps.tools)
      expect(steps.results).toHaveLength(task?.calls.length ?? -1)
      expect(http.results).toEqual(steps.results)
      expect(steps.metadata.task).toBe(task?.instruction)
      for (const { unknown, verify_as_tool: verify } of [steps, http]) {
        expect(unknown).toContain('nope')
        expect(verify).toContain('verify')
      }
    })

    test('the validator of running servers is content with both dialects', async () => {
      for (const dialect of ['', '/awm']) {
        const report = await runClient<Validation>(installed, 'validate.py', addressOf(`/openenv${dialect}`))
        expect(report.criteria.filter(({ passed }) => !passed)).toEqual([])
        expect(report).toMatchObject({ passed: true })
        expect(report.criteria.length).toBeGreaterThanOrEqual(6)
      }
    })
  })
}

const awm = await installAwm('core-0.3')
describe.skipIf(announceSkip("AWM's client", awm))("AWM's unmodified client", () => {
  test('solves every task by its gold calls and understands everything that it is answered', async () => {
    const url = addressOf('/openenv/awm')
    const played = await runClient<readonly PlayedAwm[]>(awm, 'awm.py', url, served.tasks)
    expect(played).toHaveLength(served.tasks.length)
    for (const [index, { calls, instruction }] of served.tasks.entries()) {
      expect(played[index]).toMatchObject({
        reset: 'reset_ok',
        instruction,
        steps: calls.map(() => 'tool_call_ok'),
        unknown: ['tool_not_found', -1],
        verdict: ['complete', 1, false],
        done: ['episode_done', 0, true],
        over: ['episode_already_done', true],
      })
    }
  })
})

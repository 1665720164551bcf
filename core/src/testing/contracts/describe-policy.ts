import { describe, expect, test } from 'vitest'
import { RandomStream } from '../../determinism/random-stream.ts'
import type { Plugin } from '../../hooks/plugin.ts'
import type { Policy, PolicyRequest, PolicyResponse } from '../../hooks/roles.ts'
import type { Message } from '../../vocabulary/message.ts'
import type { ToolDefinition } from '../../vocabulary/tool.ts'
import { testSlotContext } from '../test-context.ts'
import { tinyEnvironment } from '../tiny-environment.ts'
import { pipelineOf } from './pipeline-of.ts'

const environment = tinyEnvironment()
const tools: readonly ToolDefinition[] = environment.tools.map((tool) => ({
  name: tool.name,
  description: tool.description,
  inputSchema: tool.inputSchema,
  readOnly: tool.effect === 'read',
}))

/** The policy of the slot `policy`, or the one that a learner serves. */
async function policyOf(plugin: Plugin): Promise<Policy> {
  const pipeline = await pipelineOf(plugin)
  if (pipeline.has('policy')) return pipeline.slot('policy', testSlotContext())
  const { policy } = await pipeline.slot('learner', testSlotContext())
  if (!policy) throw new Error(`${plugin.name} fills neither the slot policy nor a learner with a policy`)
  return policy
}

function requestOf(taskIndex: number, seed: number, temperature: number): PolicyRequest {
  const messages: readonly Message[] = [
    { role: 'system', content: 'Use the tools to do what the user asks.' },
    { role: 'user', content: environment.tasks[taskIndex]?.instruction ?? '' },
  ]
  const sampling = { temperature, topP: 1, maxTokens: null }
  return { messages, tools, role: 'act', sampling, random: RandomStream.of(seed, 'policy contract') }
}

async function sample(policy: Policy, taskIndex: number, seed: number, temperature = 1): Promise<PolicyResponse> {
  return policy.sample(requestOf(taskIndex, seed, temperature), new AbortController().signal)
}

/** The promises every `policy` plugin keeps, and every `learner` that serves a policy. */
export function describePolicy(create: () => Plugin): void {
  const indices = environment.tasks.map((_, index) => index)

  describe(`${create().name} keeps the policy contract`, () => {
    test.each(indices)('writes an assistant message for task %i whose calls carry JSON objects', async (index) => {
      const { message } = await sample(await policyOf(create()), index, 1)
      expect(message.role).toBe('assistant')
      for (const call of message.tool_calls ?? []) {
        expect(JSON.parse(call.function.arguments)).toEqual(expect.any(Object))
      }
    })
    test.each(indices)('records one log-probability, at most zero, per action in task %i', async (index) => {
      const { span } = await sample(await policyOf(create()), index, 2)
      expect(span.logProbs).toHaveLength(span.actions.length)
      expect(span.logProbs.filter((p) => !(p <= 0))).toEqual([])
    })
    test('notes the role, the temperature and its own version', async () => {
      const policy = await policyOf(create())
      const { span } = await sample(policy, 0, 3, 0.7)
      expect(span).toMatchObject({ role: 'act', temperature: 0.7, policyVersion: policy.policyVersion })
    })
    test('samples the same message from the same stream', async () => {
      const [first, second] = [await policyOf(create()), await policyOf(create())]
      expect(await sample(first, 0, 4)).toEqual(await sample(second, 0, 4))
    })
    test('answers in a copy that took its snapshot over as it does itself, where it can be copied', async () => {
      const [policy, copy] = [await policyOf(create()), await policyOf(create())]
      expect(policy.snapshot === undefined).toBe(policy.restore === undefined)
      const snapshot = policy.snapshot?.()
      if (snapshot === undefined) return
      expect(snapshot.version).toBe(policy.policyVersion)
      copy.restore?.({ version: snapshot.version + 3, state: new Uint8Array(snapshot.state) })
      expect(copy.policyVersion).toBe(policy.policyVersion + 3)
      expect((await sample(copy, 1, 7)).message).toEqual((await sample(policy, 1, 7)).message)
    })
    test('ignores the stream when it is greedy', async () => {
      const policy = await policyOf(create())
      expect((await sample(policy, 0, 5, 0)).message).toEqual((await sample(policy, 0, 6, 0)).message)
    })
  })
}

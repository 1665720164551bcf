import { describe, expect, test } from 'vitest'
import type { Plugin } from '../../hooks/plugin.ts'
import type { RunEvent } from '../../telemetry/run-event.ts'
import { testSetupContext } from '../test-context.ts'
import { judgedOf } from '../trajectories.ts'
import { pipelineOf } from './pipeline-of.ts'

const events: readonly RunEvent[] = [
  { type: 'run:start', runId: 'r', command: 'train', directory: 'outputs/train/r' },
  { type: 'stage:end', stage: 'tools', environmentId: 'e', cached: false, attempts: 1, durationMs: 3 },
  { type: 'environment:end', environmentId: 'e', accepted: true, tasks: 4, reason: null, done: 1, total: 1 },
  { type: 'rollout:end', judged: judgedOf(1), purpose: 'train' },
  { type: 'step:end', step: 0, steps: 1, policyVersion: 1, metrics: { 'reward/mean': 0.5 } },
  { type: 'evaluation:end', step: 1, metrics: { 'eval/pass@1': 0.5 } },
  { type: 'checkpoint:saved', step: 1, directory: 'outputs/train/r/checkpoints/step_1' },
  { type: 'warning', message: 'careful', plugin: null, hook: null },
  { type: 'waiting', waiter: 'w', since: 0, forMs: 10 },
  { type: 'run:end', runId: 'r', status: 'done' },
]

/** The promises every `watch` plugin keeps: it hears every kind of event and complains of none. */
export function describeWatch(create: () => Plugin): void {
  describe(`${create().name} keeps the watch contract`, () => {
    test.each(events.map((event) => [event.type, event] as const))(
      'hears %s without complaint',
      async (_type, event) => {
        const plugin = create()
        const hooks = await plugin.setup(plugin.resolveOptions(), testSetupContext())
        await expect(Promise.resolve(hooks.watch?.(event))).resolves.toBeUndefined()
      },
    )
    test('changes no event', async () => {
      const pipeline = await pipelineOf(create())
      const copy = structuredClone(events)
      for (const event of events) pipeline.emit(event)
      expect(events).toEqual(copy)
    })
  })
}

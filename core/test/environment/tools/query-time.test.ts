import { expect, test } from 'vitest'
import { SessionBroker } from '../../../src/serving/session-broker.ts'
import { counterEnvironment } from '../../rollout/counter-environment.ts'
import { engineOf } from '../../rollout/engine-of.ts'
import { queryTool } from '../workshop.ts'

const environmentOf = (deadlineMs?: number) => {
  return { ...counterEnvironment(1), tools: [queryTool(deadlineMs === undefined ? {} : { deadlineMs })] }
}

async function play(toolTimeoutMs: number, deadlineMs?: number): Promise<void> {
  const { engine } = await engineOf({ environments: [environmentOf(deadlineMs)], config: { toolTimeoutMs } })
  await engine.close()
}

async function serve(toolTimeoutMs: number, deadlineMs?: number): Promise<void> {
  await new SessionBroker({ environments: [environmentOf(deadlineMs)], limits: { toolTimeoutMs } }).shutdown()
}

test.each([
  ['rollouts', play],
  ['sessions', serve],
])(
  '%s in which a query could outlast its call, which would be the failure of the environment, are refused',
  async (_of, begin) => {
    await begin(2_000)
    await begin(30_000, 15_000)
    await expect(begin(1_999)).rejects.toMatchObject({
      code: 'RLENV_CONFIG_INVALID',
      message: 'a query of the tool query of counter may take 1000 ms, more than half of the 1999 ms that a call has',
      fix: expect.stringContaining('Set rollout.toolTimeoutMs to 2000 or more'),
    })
    await expect(begin(30_000, 15_001)).rejects.toMatchObject({ code: 'RLENV_CONFIG_INVALID' })
  },
)

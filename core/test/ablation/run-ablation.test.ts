import { describe, expect, test } from 'vitest'
import type { AblationPlan } from '../../src/ablation/ablation-plan.ts'
import { type RunOrder, runAblation } from '../../src/ablation/run-ablation.ts'
import { swapMatrix } from '../../src/ablation/swap-matrix.ts'
import { resultOf } from './results.ts'

const plan: AblationPlan = { arms: swapMatrix(['groups=a,b']), seeds: 3, rollouts: 100, trainingTasks: 5 }
const place = { file: '/x/rlenv.config.ts', cwd: '/x', set: [], directory: '/x/out' }
const never = new AbortController().signal

function ablationOf(run: RunOrder, parallel = 2) {
  const reported: number[] = []
  const onResult = async (results: readonly unknown[]) => void reported.push(results.length)
  return { reported, ablation: { plan, place, parallel, run, onResult, onStep: () => {} } }
}

describe('runAblation', () => {
  test('runs every arm with every seed, seed by seed, and reports after each', async () => {
    const { ablation, reported } = ablationOf(async ({ arm, replicate }) => resultOf(arm.name, replicate, { a: 1 }), 1)
    const results = await runAblation(ablation, never)
    expect(results.map(({ arm, replicate }) => `${arm} ${replicate}`)).toEqual([
      'groups=a 0',
      'groups=b 0',
      'groups=a 1',
      'groups=b 1',
      'groups=a 2',
      'groups=b 2',
    ])
    expect(reported).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('never runs more at a time than it is told to', async () => {
    let [running, most] = [0, 0]
    const { ablation } = ablationOf(async ({ arm, replicate }) => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 2))
      running -= 1
      return resultOf(arm.name, replicate, { a: 1 })
    }, 2)
    await runAblation(ablation, never)
    expect(most).toBe(2)
  })

  test('the first failure ends the others and begins none after it', async () => {
    const begun: string[] = []
    const stopped: string[] = []
    const { ablation } = ablationOf(async ({ arm, replicate }, _onStep, signal) => {
      begun.push(`${arm.name} ${replicate}`)
      if (arm.name === 'groups=b') throw new Error('the arm is broken')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      stopped.push(arm.name)
      throw signal.reason
    })
    await expect(runAblation(ablation, never)).rejects.toThrow('the arm is broken')
    expect({ begun, stopped }).toEqual({ begun: ['groups=a 0', 'groups=b 0'], stopped: ['groups=a'] })
  })

  test('passes on the order of each run', async () => {
    const seen: unknown[] = []
    const { ablation } = ablationOf(async (order) => {
      seen.push(order)
      return resultOf(order.arm.name, order.replicate, { a: 1 })
    })
    await runAblation({ ...ablation, plan: { ...plan, seeds: 1 } }, never)
    expect(seen[0]).toEqual({ ...place, arm: plan.arms[0], replicate: 0, rollouts: 100, trainingTasks: 5 })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configDefaults } from '../../src/config/config-defaults.ts'
import { describeSizes, flatGroupShare } from '../../src/config/describe-sizes.ts'
import { resolveConfig } from '../../src/config/resolve-config.ts'

const sizes = (tasksPerStep: number, rolloutsPerTask: number, optimizerStepsPerStep: number) =>
  describeSizes({ training: { ...configDefaults.training, tasksPerStep, rolloutsPerTask, optimizerStepsPerStep } })

describe('describeSizes', () => {
  test('prints the equation with units', () => {
    expect(sizes(16, 8, 4).equation).toBe(
      'tasksPerStep 16 × rolloutsPerTask 8 = 128 trajectories per step; ÷ 4 optimizer steps = 32 trajectories each',
    )
    expect(sizes(16, 8, 1).equation).toBe(
      'tasksPerStep 16 × rolloutsPerTask 8 = 128 trajectories per step; 1 optimizer step',
    )
  })

  test('says when the division leaves a rest', () => {
    const { equation, warnings, trajectoriesPerOptimizerStep } = sizes(5, 2, 3)
    expect(equation).toContain('÷ 3 optimizer steps = 3 or 4 trajectories each')
    expect(warnings).toContain('3 optimizer steps do not divide the trajectories of a step evenly')
    expect(trajectoriesPerOptimizerStep).toBe(4)
  })

  test('tells at the start how many groups will be flat, and warns when most are', () => {
    // two rollouts, 18 % success: 0.18² + 0.82² = 0.7048
    expect(sizes(16, 2, 1).warnings).toEqual([
      'groups of 2 leave 70 % of hard tasks (success rate 18 %) without a gradient; a flat curve then says little',
    ])
    expect(sizes(16, 16, 1)).toMatchObject({
      notes: [
        'expected share of flat groups, which carry no gradient: 4.2 % at a success rate of 18 %, 0.0031 % at a success rate of 50 %',
      ],
      warnings: [],
    })
  })

  test.each([
    [
      { training: { tasksPerStep: 2, rolloutsPerTask: 2, optimizerStepsPerStep: 5 } },
      'training.optimizerStepsPerStep is 5',
    ],
    [{ training: { warnAfterDeadSteps: 11 } }, 'training.warnAfterDeadSteps is 11'],
    [{ synthesis: { tasksPerEnvironment: 3 } }, 'synthesis.minTasksPerEnvironment is 5'],
  ])('refuses sizes that contradict each other: %j', async (config, message) => {
    await expect(resolveConfig(config, { command: 'train' })).rejects.toMatchObject({
      code: 'RLENV_CONFIG_INVALID',
      message: expect.stringContaining(message),
    })
  })
})

test('flatGroupShare lies between its value at one half and 1, and falls with the group’s size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 64 }), fc.double({ min: 0, max: 1, noNaN: true }), (size, rate) => {
      const share = flatGroupShare(size, rate)
      expect(share).toBeGreaterThanOrEqual(flatGroupShare(size, 0.5) - 1e-12)
      expect(share).toBeLessThanOrEqual(1 + 1e-12)
      expect(flatGroupShare(size + 1, rate)).toBeLessThanOrEqual(share + 1e-12)
    }),
  )
})

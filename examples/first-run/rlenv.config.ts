import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'

/** Sixty environments to learn on and forty that are never trained on; about a minute on two cores. */
export default defineConfig({
  name: 'first-run',
  extends: arena({ environments: 100 }),
  evaluation: { heldOutShare: 0.4 },
  training: {
    steps: 100,
    tasksPerStep: 16,
    rolloutsPerTask: 8,
    // Train on what is live instead of drawing again, so that the budget is 12,800 rollouts whatever the ties.
    maxRefills: 0,
    optimizerStepsPerStep: 4,
  },
  // Rollouts of one training step in ten, about 4 MB each; metrics of all of them.
  output: { tracesEverySteps: 10 },
  seed: 7,
})

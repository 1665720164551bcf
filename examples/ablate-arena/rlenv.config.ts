import { arena } from '@rlenv/preset-arena'
import { defineConfig } from 'rlenv'

/** Few tasks and many visits, where ties are most of what is generated: 10 environments to learn on, 10 held out. */
export default defineConfig({
  name: 'ablate-arena',
  extends: arena({ environments: 20 }),
  evaluation: { heldOutShare: 0.5, rolloutsPerTask: 2 },
  training: {
    tasksPerStep: 16,
    rolloutsPerTask: 8,
    optimizerStepsPerStep: 4,
    evaluateEverySteps: 25,
    checkpointEverySteps: 25,
    // Collection ahead of the learner is a matter of speed; the arms differ in what they learn from.
    maxStaleness: 0,
  },
  seed: 3,
})

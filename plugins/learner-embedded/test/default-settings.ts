import type { LearnerSettings } from '../src/learner/learner-settings.ts'

/** What the plugin fills in when nothing is configured. */
export const defaultSettings: LearnerSettings = {
  learningRate: 0.04,
  lexicalLearningRate: 0.004,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-4,
  weights: 2 ** 18,
  scale: 1.5,
  maxGradNorm: null,
  cacheBytes: 2 ** 26,
}

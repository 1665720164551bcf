export { type EmbeddedLearnerOptions, embeddedLearner } from './embedded-learner-plugin.ts'

import { describeLearner, describePolicy } from 'rlenv/testing'
import { embeddedLearner } from '../src/index.ts'
import { EmbeddedLearner } from '../src/learner/embedded-learner.ts'
import { defaultSettings } from './default-settings.ts'
import { playLibrary, sampleOf } from './play-library.ts'

describePolicy(() => embeddedLearner())

describeLearner(
  () => embeddedLearner(),
  async () => {
    const { policy } = new EmbeddedLearner(defaultSettings)
    const played = [1, 2, 3].map((seed) => playLibrary({ policy, seed, task: seed % 2 }))
    return (await Promise.all(played)).map((trajectory, i) => sampleOf(trajectory, i % 2 === 0 ? 1 : -0.5))
  },
)

import { definePlugin, type Plugin } from 'rlenv'
import { z } from 'zod'

const options = z.strictObject({})

/** Puts the opposite of every reward in its place: a learner must then lose what it can do. */
export function negatedRewards(): Plugin {
  return definePlugin({
    name: 'bench-negated-rewards',
    options,
    setup: () => ({ rewardShaper: { order: 'post', handler: (reward) => -reward } }),
  })()
}

/** Puts +1 or −1 by a fair coin in place of every reward: a learner must then gain nothing. */
export function randomRewards(): Plugin {
  return definePlugin({
    name: 'bench-random-rewards',
    options,
    setup: () => ({
      rewardShaper: { order: 'post', handler: (_reward, { random }) => (random.chance(0.5) ? 1 : -1) },
    }),
  })()
}

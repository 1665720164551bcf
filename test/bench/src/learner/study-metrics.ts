import type { Environment } from 'rlenv'
import type { Metric } from '../metric.ts'
import { negatedRewards, randomRewards } from './control-shapers.ts'
import { Laboratory, rolloutsPerStep, type Success } from './laboratory.ts'

export interface StudyMetricsOptions {
  /** A few steps on a few environments: shows that it runs, not what comes out. */
  readonly smoke?: boolean
}

const full = { heldOut: 60, train: 100, few: 5, some: 60, steps: 100, longSteps: 300, seeds: [1, 2, 3] }
const smoke = { heldOut: 6, train: 8, few: 3, some: 6, steps: 2, longSteps: 3, seeds: [1] }

/** Environments of the study, apart from each other. */
interface Material {
  readonly train: readonly Environment[]
  readonly heldOut: readonly Environment[]
}

const domainOf = ({ scenario }: Environment): string => scenario.taxonomy.slice(0, -1).join('/')

/** Every third domain, in the order of their names. */
function someDomains(environments: readonly Environment[]): ReadonlySet<string> {
  return new Set([...new Set(environments.map(domainOf))].sort().filter((_, index) => index % 3 === 0))
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Success on other environments of three training runs and of the untrained policy. */
async function seedMetrics(laboratory: Laboratory, { train, heldOut }: Material, size: typeof full) {
  const runs: Success[] = []
  const base = await laboratory.base(heldOut, 1)
  for (const seed of size.seeds) {
    runs.push(await laboratory.trained({ train: train.slice(0, size.some), heldOut, steps: size.steps, seed }))
  }
  const rollouts = `${size.steps * rolloutsPerStep} rollouts on ${size.some} environments, mean of ${runs.length} seeds`
  const greedy = mean(runs.map((run) => run.greedy)) - base.greedy
  return [
    atLeast('L9', `held-out success after ${rollouts}, sampled`, mean(runs.map((run) => run.sampled)), 0.5),
    atLeast('L10', `gain in greedy held-out success after ${rollouts}`, greedy, 0.2),
  ]
}

async function widthMetrics(laboratory: Laboratory, { train, heldOut }: Material, size: typeof full) {
  const { steps, few } = size
  const narrow = await laboratory.trained({ train: train.slice(0, few), heldOut, steps, seed: 1 })
  const wide = await laboratory.trained({ train, heldOut, steps, seed: 1 })
  const long = await laboratory.trained({ train, heldOut, steps: size.longSteps, seed: 1 })
  const gain = wide.sampled - narrow.sampled
  const rollouts = size.longSteps * rolloutsPerStep
  return [
    atLeast('L11', `held-out success after ${rollouts} rollouts on ${train.length} environments`, long.sampled, 0.6),
    atLeast('L12', `gain in held-out success from ${train.length} instead of ${few} environments`, gain, 0.05),
  ]
}

/** Both runs are trained on equally many environments and tested on the same ones. */
async function domainMetrics(laboratory: Laboratory, { train, heldOut }: Material, size: typeof full) {
  const unseen = someDomains([...train, ...heldOut])
  const without = train.filter((environment) => !unseen.has(domainOf(environment)))
  const test = heldOut.filter((environment) => unseen.has(domainOf(environment)))
  const blind = await laboratory.trained({ train: without, heldOut: test, steps: size.steps, seed: 1 })
  const seeing = await laboratory.trained({
    train: spread(train, without.length),
    heldOut: test,
    steps: size.steps,
    seed: 1,
  })
  const what = `loss of held-out success in ${unseen.size} domains that were left out of training`
  return [atMost('L13', what, seeing.sampled - blind.sampled, 0.05)]
}

/** So many of the environments, evenly spread over them. */
function spread(environments: readonly Environment[], count: number): readonly Environment[] {
  return Array.from({ length: count }, (_, index) => {
    return environments[Math.floor((index * environments.length) / count)] as Environment
  })
}

async function controlMetrics(laboratory: Laboratory, { train, heldOut }: Material, size: typeof full) {
  const run = { train: train.slice(0, size.some), heldOut, steps: size.steps, seed: 1 }
  const base = await laboratory.base(heldOut, 1)
  const random = await laboratory.trained({ ...run, plugins: [randomRewards()] })
  const negated = await laboratory.trained({ ...run, plugins: [negatedRewards()] })
  return [
    atMost('L14', 'rise of held-out success under random rewards', random.sampled - base.sampled, 0.02),
    atMost('L15', 'held-out success under negated rewards', negated.sampled, 0.05),
  ]
}

/** How far what was learnt carries, and what rewards that mean nothing do; ids `L9` to `L15`. */
export async function studyMetrics(options: StudyMetricsOptions = {}): Promise<Metric[]> {
  const size = options.smoke ? smoke : full
  return Laboratory.use(async (laboratory) => {
    const environments = await laboratory.environments(size.train + size.heldOut, 1)
    const material = { train: environments.slice(0, size.train), heldOut: environments.slice(size.train) }
    const metrics = [
      ...(await seedMetrics(laboratory, material, size)),
      ...(await widthMetrics(laboratory, material, size)),
      ...(await domainMetrics(laboratory, material, size)),
      ...(await controlMetrics(laboratory, material, size)),
    ]
    return options.smoke ? metrics.map((metric): Metric => ({ ...metric, target: null, ok: true })) : metrics
  })
}

function atLeast(id: string, what: string, value: number, target: number): Metric {
  return { id, what: `${what}; at least`, value, unit: 'share', floor: null, ratio: null, target, ok: value >= target }
}

function atMost(id: string, what: string, value: number, target: number): Metric {
  return { id, what: `${what}; at most`, value, unit: 'share', floor: null, ratio: null, target, ok: value <= target }
}

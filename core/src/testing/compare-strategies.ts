import { isDeepStrictEqual } from 'node:util'
import { RandomStream } from '../determinism/random-stream.ts'
import type { EnvironmentInstance, InstanceStrategy } from '../environment/environment-instance.ts'
import type { ExecutableEnvironment } from '../environment/executable-environment.ts'
import { loadEnvironment } from '../environment/load-environment.ts'
import { loadSandbox } from '../environment/sandbox/quickjs-module.ts'
import { ArgumentPool } from '../environment/tools/argument-pool.ts'
import { generateArguments } from '../environment/tools/generate-arguments.ts'
import type { Environment } from '../vocabulary/environment.ts'

export interface StrategyComparison {
  /** Calls that were made on both sides. */
  readonly calls: number
  /** Calls that changed something. */
  readonly writes: number
  /** Instances that turned from a log into a database of their own. */
  readonly promotions: number
  readonly mismatches: number
  /** What differed first, at most ten of them. */
  readonly examples: readonly string[]
}

export interface StrategyComparisonOptions {
  readonly environment: Environment
  readonly calls: number
  /** Pairs that are alive at once. Default 24. */
  readonly instances?: number
  readonly seed?: number
  /** SELECTs without parameters that are asked of both sides now and then. */
  readonly queries?: readonly string[]
}

interface Pair {
  readonly subject: EnvironmentInstance
  /** The plain one. */
  readonly oracle: EnvironmentInstance
}

type StepKind = 'call' | 'capture' | 'fork' | 'reset' | 'reopen'

const strategies: readonly InstanceStrategy[] = ['auto', 'replay', 'clone']

/** What a step is, as often as it is listed. */
const stepKinds: readonly StepKind[] = [
  ...Array.from({ length: 92 }, () => 'call' as const),
  ...Array.from({ length: 3 }, () => 'capture' as const),
  ...Array.from({ length: 2 }, () => 'fork' as const),
  'reset',
  'reopen',
  'reopen',
]

class Comparison {
  readonly #executable: ExecutableEnvironment
  readonly #random: RandomStream
  readonly #pool: ArgumentPool
  readonly #pairs: Pair[]
  readonly #queries: readonly string[]
  readonly examples: string[] = []
  calls = 0
  writes = 0
  promotions = 0
  mismatches = 0

  constructor({ environment, instances = 24, seed = 0, queries = [] }: StrategyComparisonOptions) {
    this.#executable = loadEnvironment(environment)
    this.#random = RandomStream.of(seed, 'compare-strategies')
    this.#pool = new ArgumentPool(this.#executable.initial)
    this.#queries = queries
    this.#pairs = Array.from({ length: instances }, (_, index) => this.#opened(index < instances / 8))
  }

  step(): void {
    const at = this.#random.int(this.#pairs.length)
    const pair = this.#pairs[at] as Pair
    const kind = this.#random.pick(stepKinds)
    if (kind === 'capture') this.#compareStates(pair)
    else if (kind === 'call' || this.#isGrowing(at)) this.#call(pair)
    else if (kind === 'fork') this.#replace(this.#random.int(this.#pairs.length), forked(pair))
    else if (kind === 'reopen') this.#replace(at, this.#opened())
    else for (const instance of [pair.subject, pair.oracle]) instance.reset()
  }

  close(): void {
    for (const pair of this.#pairs) {
      this.#compareStates(pair)
      closePair(pair)
    }
  }

  #opened(promotes = false): Pair {
    const seed = this.#random.int(1_000)
    const strategy: InstanceStrategy = promotes ? 'auto' : this.#random.pick(strategies)
    return {
      subject: this.#executable.open({ seed, strategy }),
      oracle: this.#executable.open({ seed, strategy: 'clone', sharesReads: false }),
    }
  }

  /** A few pairs are left alone until their logs are so long that they turn into clones. */
  #isGrowing(at: number): boolean {
    return at < this.#pairs.length / 8 && this.#pairs[at]?.subject.strategy === 'replay'
  }

  #replace(at: number, pair: Pair): void {
    if (this.#isGrowing(at)) closePair(pair)
    else {
      closePair(this.#pairs[at] as Pair)
      this.#pairs[at] = pair
    }
  }

  #call(pair: Pair): void {
    const { name, inputSchema } = this.#random.pick(this.#executable.tools)
    const args = generateArguments(inputSchema, this.#random, this.#pool)
    const before = pair.subject.strategy
    const { diff } = this.#both(pair, `${name} ${JSON.stringify(args)}`, (instance) => instance.call(name, args))
    this.calls++
    if (diff.length > 0) this.writes++
    if (before !== pair.subject.strategy) this.promotions++
    this.#both(pair, `diff after ${name} ${JSON.stringify(args)}`, (instance) => instance.diff())
  }

  #compareStates(pair: Pair): void {
    const diff = this.#both(pair, 'scan of everything', (instance) => instance.verifyDiff())
    this.#both(pair, 'capture', (instance) => {
      const { final, diff: captured } = instance.capture()
      if (!isDeepStrictEqual(captured, diff))
        this.#note(`${textOf(captured)} captured where a scan finds ${textOf(diff)}`)
      return [captured, final.tables.map((table) => final.rows(table))]
    })
    for (const sql of this.#queries) this.#both(pair, sql, (instance) => instance.query(sql))
  }

  #both<T>({ subject, oracle }: Pair, what: string, use: (instance: EnvironmentInstance) => T): T {
    const [one, other] = [use(subject), use(oracle)]
    if (!isDeepStrictEqual(one, other)) this.#note(`${what}: ${textOf(one)} instead of ${textOf(other)}`)
    return one
  }

  #note(difference: string): void {
    this.mismatches++
    if (this.examples.length < 10) this.examples.push(`call ${this.calls}: ${difference}`)
  }
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

const forked = ({ subject, oracle }: Pair): Pair => ({ subject: subject.fork(), oracle: oracle.fork() })

function closePair({ subject, oracle }: Pair): void {
  subject.close()
  oracle.close()
}

/**
 * Holds the ways in which an instance can hold its state equal: random calls on many instances at once, each mirrored on
 * a clone, with forks, resets, captures and queries in between.
 */
export async function compareStrategies(options: StrategyComparisonOptions): Promise<StrategyComparison> {
  await loadSandbox()
  const comparison = new Comparison(options)
  while (comparison.calls < options.calls) comparison.step()
  comparison.close()
  const { calls, writes, promotions, mismatches, examples } = comparison
  return { calls, writes, promotions, mismatches, examples }
}

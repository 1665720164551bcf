import { blueprint } from '@rlenv/blueprint'
import {
  assemblePipeline,
  canonicalJson,
  contamination,
  type DraftWorld,
  type Environment,
  RandomStream,
  type StateDiff,
  type Task,
  validateEnvironment,
} from 'rlenv'
import { tinyPlugin, tinyVerifier, tinyVerifierOf } from 'rlenv/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { instructionFault } from '../src/tasks/instruction-lint.ts'
import { playUniformly } from './uniform-agent.ts'
import { hooksOf, scenarios, type Written, write, writtenEnvironments } from './written-environments.ts'

const environments = 30
let all: readonly Written[] = []

beforeAll(async () => {
  all = await writtenEnvironments(environments)
}, 60_000)

const range = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const tasksOf = () => all.flatMap(({ tasks }) => tasks)
const share = (count: number) => count / tasksOf().length
const repeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)
const withoutKeys = (diff: StateDiff) =>
  diff.map((change) => canonicalJson(change.kind === 'insert' ? [change.table, 'insert'] : change)).sort()

describe('30 environments', () => {
  test('have 6 to 10 tables of 30 to 60 rows', async () => {
    for (const { world } of all) {
      const instance = world.open()
      const state = await instance.capture()
      const rows = (state?.initial.tables ?? []).map((table) => state?.initial.rows(table).length ?? 0)
      await instance.close()
      expect(rows.length).toBeGreaterThanOrEqual(6)
      expect(rows.length).toBeLessThanOrEqual(10)
      expect(range(rows)[0]).toBeGreaterThanOrEqual(30)
      expect(range(rows)[1]).toBeLessThanOrEqual(60)
    }
  })
  test('have 20 to 40 tools each', () => {
    const [fewest, most] = range(all.map(({ toolset }) => toolset.tools.length))
    expect(fewest).toBeGreaterThanOrEqual(20)
    expect(most).toBeLessThanOrEqual(40)
  })
  test('differ in their schemas and share few tool names', () => {
    expect(repeated(all.map(({ database }) => database.schema))).toEqual([])
    const sets = all.map(({ toolset }) => new Set(toolset.tools.map((tool) => tool.name)))
    const overlaps = sets.flatMap((left, at) =>
      sets
        .slice(at + 1)
        .map((right) => [...left].filter((name) => right.has(name)).length / new Set([...left, ...right]).size),
    )
    expect(Math.max(...overlaps)).toBeLessThan(0.35)
    expect(overlaps.reduce((sum, one) => sum + one, 0) / overlaps.length).toBeLessThan(0.01)
  })
  test('have ten tasks each, with ids and texts of their own', () => {
    expect(range(all.map(({ tasks }) => tasks.length))).toEqual([10, 10])
    expect(repeated(tasksOf().map((task) => task.id))).toEqual([])
    expect(repeated(tasksOf().map((task) => task.instruction.toLowerCase()))).toEqual([])
  })
  test('quote every identifier and store dates in one form', () => {
    for (const { database } of all) {
      expect(database.schema).not.toMatch(/CREATE TABLE [^"]|REFERENCES [^"]|^\s+[a-z]\w* (?:TEXT|INTEGER|REAL)/m)
      expect(database.data).not.toMatch(/\d{4}-\d{2}-\d{2}[T ]|\d{1,2}\/\d{1,2}\/\d{4}/)
    }
  })
})

describe('tasks of 30 environments', () => {
  test('take 2 to 10 calls, mostly few and some many', () => {
    const lengths = tasksOf().map((task) => task.gold.calls.length)
    expect(range(lengths)).toEqual([2, expect.any(Number)])
    expect(range(lengths)[1]).toBeLessThanOrEqual(10)
    expect(median(lengths)).toBe(3)
    const long = share(lengths.filter((length) => length >= 7).length)
    expect(long).toBeGreaterThan(0.02)
    expect(long).toBeLessThan(0.12)
  })
  test('give every kind of goal its share', () => {
    const kinds = new Map<string, number>()
    for (const { kind } of tasksOf()) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    for (const kind of ['status', 'adjust', 'assign', 'transfer', 'update', 'create', 'delete', 'ask']) {
      expect([kind, share(kinds.get(kind) ?? 0) >= 0.02]).toEqual([kind, true])
    }
    expect(share(kinds.get('two-goals') ?? 0)).toBeCloseTo(0.3, 1)
    expect(share(kinds.get('three-goals') ?? 0)).toBeGreaterThan(0.01)
  })
  test('have no answer that is a good guess', () => {
    const answers = tasksOf().flatMap((task) => (task.gold.answer === null ? [] : [String(task.gold.answer)]))
    const counts = answers.map((answer) => answers.filter((other) => other === answer).length)
    expect(answers.length).toBeGreaterThan(30)
    expect(Math.max(...counts) / answers.length).toBeLessThan(0.15)
  })
  test('have counts of which none is a good guess', () => {
    const counts = tasksOf().flatMap(({ gold, instruction }) => {
      return typeof gold.answer === 'number' && /how many|number of|count/i.test(instruction) ? [gold.answer] : []
    })
    const frequencies = counts.map((count) => counts.filter((other) => other === count).length)
    expect(counts.length).toBeGreaterThan(10)
    expect(new Set(counts).size).toBeGreaterThan(5)
    expect(Math.max(...frequencies) / counts.length).toBeLessThanOrEqual(0.25)
  })
  test('give none away that another environment holds out', () => {
    expect(contamination(tasksOf())).toEqual({ tasks: 300, sharedInstructions: 0, nearDuplicates: 0, pairs: [] })
  })
  test('grow harder with more calls, goals and detours, between 0 and 1', () => {
    for (const { difficulty } of tasksOf()) expect(difficulty).toBeGreaterThanOrEqual(0)
    const mean = (least: number, most: number) => {
      const some = tasksOf().filter(({ gold }) => gold.calls.length >= least && gold.calls.length <= most)
      return some.reduce((sum, { difficulty }) => sum + difficulty, 0) / some.length
    }
    expect(mean(2, 2)).toBeLessThan(mean(3, 4))
    expect(mean(3, 4)).toBeLessThan(mean(5, 10))
  })
  test('read without a clash of words and never name an id', async () => {
    expect(tasksOf().flatMap((task) => instructionFault(task.instruction) ?? [])).toEqual([])
    for (const { tasks, world } of all) {
      const instance = world.open()
      const state = await instance.capture()
      const first = (state?.initial.tables ?? []).flatMap((table) => state?.initial.rows(table) ?? [])
      const ids = new Set(first.map((row) => String(Object.values(row)[0])))
      await instance.close()
      const words = tasks.flatMap((task) => task.instruction.split(/[^\w-]+/))
      expect(words.filter((word) => ids.has(word))).toEqual([])
    }
  })
  test('are out of reach of an agent that chooses at random', async () => {
    const some = all.slice(0, 15).flatMap(({ tasks, world }) => tasks.map((task) => ({ task, world })))
    const passes: boolean[] = []
    for (const { task, world } of some) {
      const random = RandomStream.of(1, task.id)
      passes.push(await passesAtRandom(task, world, random), await passesAtRandom(task, world, random))
    }
    expect(passes.filter(Boolean).length / passes.length).toBeLessThanOrEqual(0.01)
  })
})

async function passesAtRandom(task: Task, world: DraftWorld, random: RandomStream): Promise<boolean> {
  const gold = world.run(task.gold.calls, task.gold.answer)
  const { diff, answer } = await playUniformly(task, world, random)
  const right = task.gold.answer === null || answer === String(task.gold.answer)
  return right && canonicalJson(withoutKeys(diff)) === canonicalJson(withoutKeys(gold.diff))
}

describe('the gate', () => {
  test('accepts every tool and task, finds no write that does nothing, and the verifier kills every mutant', async () => {
    const pipeline = await assemblePipeline([
      { name: 'test', plugins: [tinyPlugin({ hooks: { verifier: tinyVerifier } })] },
    ])
    for (const written of all.slice(0, 8)) {
      const environment = environmentOf(written)
      const random = RandomStream.of(1, environment.id)
      const report = await validateEnvironment(environment, { pipeline, random, signal: new AbortController().signal })
      expect([report.environmentId, report.status, report.verifierKillRate]).toEqual([environment.id, 'valid', 1])
      const silent = report.tools.flatMap(({ findings }) => findings).filter(({ code }) => code === 'tool_silent')
      expect(silent).toEqual([])
    }
  }, 30_000)
})

function environmentOf({ scenario, seed, database, toolset, tasks, world }: Written): Environment {
  const verifiers = tasks.map((task) => {
    const { diff } = world.run(task.gold.calls, task.gold.answer)
    const answer = task.gold.answer === null ? null : String(task.gold.answer)
    return [task.id, tinyVerifierOf(diff, answer)] as const
  })
  const { tools, scripts } = toolset
  return {
    id: scenario.id,
    scenario,
    seed,
    database,
    tools,
    tasks,
    scripts,
    files: {},
    provenance: [],
    verifiers: Object.fromEntries(verifiers),
  }
}

describe('the plugin', () => {
  const bytes = ({ database, toolset, tasks }: Written) => JSON.stringify({ database, toolset, tasks })

  test('writes the same bytes for the same seed, whatever was written before', async () => {
    const [, second] = await scenarios(await hooksOf(), 2)
    const again = await write(await hooksOf(), second as NonNullable<typeof second>, 5001)
    expect(bytes(again)).toBe(bytes(all[1] as Written))
  })
  test('writes the same bytes at the other end of the world', async () => {
    const before = process.env.TZ
    process.env.TZ = 'Pacific/Kiritimati'
    try {
      expect(bytes(await write(await hooksOf(), all[0]!.scenario, 5000))).toBe(bytes(all[0]!))
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })
  test('writes other rows and tasks for another seed', async () => {
    const [first] = all as readonly [Written, ...Written[]]
    const other = await write(await hooksOf(), first.scenario, 1)
    expect(other.database.data).not.toBe(first.database.data)
    expect(other.tasks.map((task) => task.instruction)).not.toEqual(first.tasks.map((task) => task.instruction))
  })
  test('makes variants once the seeds are used up', async () => {
    const hooks = await hooksOf({ seeds: ['gym', 'online-shop'] })
    const made = await scenarios(hooks, 5)
    expect(made.map(({ id }) => id)).toEqual(['gym', 'online-shop', 'gym-2', 'online-shop-2', 'gym-3'])
    const [first, variant] = [await write(hooks, made[0]!, 1), await write(hooks, made[2]!, 1)]
    expect(variant.database.schema).not.toBe(first.database.schema)
  })
  test('makes as many environments as its own option says', async () => {
    expect(await scenarios(await hooksOf({ environments: 3 }), 50)).toHaveLength(3)
  })
  test('refuses a seed that it does not ship, with an example', async () => {
    const refused = expect.objectContaining({
      code: 'RLENV_PLUGIN_OPTIONS',
      message: expect.stringContaining('moon-base'),
    })
    await expect(hooksOf({ seeds: ['moon-base'] }).then((hooks) => scenarios(hooks, 1))).rejects.toThrow(refused)
  })
  test('refuses a misspelt option', () => {
    expect(() => blueprint({ lexsame: 1 } as never).resolveOptions()).toThrow(/lexsame/)
  })
  test('leaves scenarios of other plugins alone', async () => {
    const hooks = await hooksOf()
    const [own] = await scenarios(hooks, 1)
    const foreign = { ...own!, annotations: {} }
    const written = await write(hooks, foreign, 1).catch((thrown: unknown) => thrown)
    expect(written).toMatchObject({ database: { schema: '' }, tasks: [] })
  })
  test('uses the words of the tools when told to', async () => {
    const same = await writtenEnvironments(4, { lexSame: 1, twoGoalShare: 0, threeGoalShare: 0 })
    const overlap = (list: readonly Written[]) => {
      const tasks = list.flatMap((written) => written.tasks.filter(({ kind }) => kind === 'status'))
      const named = tasks.filter(({ instruction, gold }) => {
        const verb = (gold.calls.at(-1)?.tool ?? '').split(/_|(?=[A-Z])/)[0] ?? ''
        return instruction.toLowerCase().includes(verb.toLowerCase())
      })
      return named.length / tasks.length
    }
    const different = await writtenEnvironments(4, { lexSame: 0, twoGoalShare: 0, threeGoalShare: 0 })
    expect(overlap(same)).toBeGreaterThan(overlap(different) + 0.2)
  })
  test('lets guidelines ask for kinds of goals', async () => {
    const hooks = await hooksOf()
    const [scenario] = await scenarios(hooks, 1)
    const plain = await write(hooks, scenario!, 3)
    const asked = await write(hooks, scenario!, 3, 20, ['More transfer tasks, please.'])
    const transfers = asked.tasks.filter(({ kind }) => kind === 'transfer').length
    expect(transfers).toBeGreaterThan(2 * plain.tasks.filter(({ kind }) => kind === 'transfer').length)
    expect(asked.tasks[0]?.guidelines).toEqual(['More transfer tasks, please.'])
  })
})

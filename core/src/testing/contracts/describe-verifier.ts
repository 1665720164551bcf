import { describe, expect, test } from 'vitest'
import { draftWorld } from '../../environment/draft-world.ts'
import type { VerifierContext } from '../../hooks/contexts.ts'
import type { Plugin } from '../../hooks/plugin.ts'
import type { Pipeline } from '../../plugin/pipeline.ts'
import { answerText, scriptedTrajectory } from '../../synthesis/gate/scripted-trajectory.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Verdict } from '../../vocabulary/outcome.ts'
import type { GoldRun, StoredVerifier, Task, ToolCall } from '../../vocabulary/task.ts'
import { testContext } from '../test-context.ts'
import { tinyEnvironment } from '../tiny-environment.ts'
import { pipelineOf } from './pipeline-of.ts'

const environment: Environment = tinyEnvironment()
const { database, tools, scripts, scenario } = environment
const seed = 1
/** Built when a test needs it: importing the suites opens no database. */
const newWorld = () => draftWorld({ database, toolset: { tools, scripts }, seed })
const toolNamed = new Map(tools.map((tool) => [tool.name, tool]))
const writes = (call: ToolCall) => toolNamed.get(call.tool)?.effect === 'write'

function prepare(pipeline: Pipeline, task: Task, goldRun: GoldRun): Promise<StoredVerifier> {
  const context: VerifierContext = {
    ...testContext(seed, task.id),
    spend: () => {},
    scenario,
    seed,
    attempt: 1,
    feedback: null,
    database,
    toolset: { tools, scripts },
    task,
    goldRun,
    world: newWorld(),
  }
  return pipeline.prepareVerifier(task, context)
}

/** Carries calls out on a fresh instance and asks the verifier about it. */
async function verdictOn(
  pipeline: Pipeline,
  task: Task,
  verifier: StoredVerifier,
  calls: readonly ToolCall[],
  answer = answerText(task.gold.answer),
): Promise<Verdict | undefined> {
  const instance = newWorld().open()
  try {
    const steps: GoldRun['calls'][number][] = []
    for (const call of calls) {
      steps.push({ call, ...(await instance.call(call.tool, call.arguments, new AbortController().signal)) })
    }
    const state = await instance.capture()
    if (!state) throw new Error('an executable world shows its state')
    const trajectory = scriptedTrajectory({ task, script: 'contract', seed, calls: steps, answer, diff: state.diff })
    return await pipeline.judge({ environment, task, verifier, trajectory, ...state }, testContext(seed, 'judge'))
  } finally {
    await instance.close()
  }
}

async function prepared(create: () => Plugin, task: Task) {
  const pipeline = await pipelineOf(create())
  const verifier = await prepare(pipeline, task, newWorld().run(task.gold.calls, task.gold.answer))
  const judge = (calls: readonly ToolCall[], answer?: string) => verdictOn(pipeline, task, verifier, calls, answer)
  return { pipeline, verifier, judge }
}

/** The promises every `verifier` plugin keeps. Call it from the plugin's own test file. */
export function describeVerifier(create: () => Plugin): void {
  const tasks = environment.tasks.map((task) => [task.id, task] as const)
  const writing = tasks.filter(([, task]) => task.gold.calls.some(writes))
  const asking = tasks.filter(([, task]) => task.gold.answer !== null)

  describe(`${create().name} keeps the verifier contract`, () => {
    test.each(tasks)('accepts the gold run of %s', async (_id, task) => {
      const { judge } = await prepared(create, task)
      expect(await judge(task.gold.calls)).toMatchObject({ kind: 'passed', passed: true })
    })
    test.each(tasks)('rejects an agent that only says Done in %s', async (_id, task) => {
      const { judge } = await prepared(create, task)
      expect((await judge([], 'Done.'))?.passed).toBe(false)
    })
    test.each(writing)('rejects the gold run of %s with its last write dropped', async (_id, task) => {
      const { judge } = await prepared(create, task)
      const last = task.gold.calls.findLastIndex(writes)
      expect((await judge(task.gold.calls.filter((_, index) => index !== last)))?.passed).toBe(false)
    })
    test.each(asking)('rejects a wrong answer and a dump of everything in %s', async (_id, task) => {
      const { judge } = await prepared(create, task)
      expect((await judge(task.gold.calls, 'no idea'))?.passed).toBe(false)
      const dump = Object.values(environment.database).join(' ')
      expect((await judge(task.gold.calls, dump))?.passed).toBe(false)
    })
    test.each(tasks)('says the same of %s every time, with evidence', async (_id, task) => {
      const { judge } = await prepared(create, task)
      const first = await judge(task.gold.calls)
      expect(await judge(task.gold.calls)).toEqual(first)
      expect(first?.evidence.length).toBeGreaterThan(0)
    })
    test('stores a verifier that JSON can carry', async () => {
      for (const [, task] of tasks) {
        const { verifier } = await prepared(create, task)
        expect(JSON.parse(JSON.stringify(verifier))).toEqual(verifier)
      }
    })
    test('passes on a stored verifier of another kind', async () => {
      for (const [, task] of tasks.slice(0, 1)) {
        const { pipeline } = await prepared(create, task)
        expect(await verdictOn(pipeline, task, { kind: 'some other plugin' }, task.gold.calls)).toBeUndefined()
      }
    })
  })
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { treeOf } from './file-tree.ts'
import type { Project } from './project.ts'

/**
 * Preset arena, in which everything happens within a second that a crash could lose: evaluations on the way, refills,
 * swaps out of the replay store, checkpoints of two steps each, of which one is kept, rollouts that wait on the disk, and
 * an update that comes twice, so that what was collected ahead is too old. `CRASH_AT` ends the process at that one of the recorded events.
 */
export const crashConfig = `import { embeddedLearner } from '@rlenv/learner-embedded'
import { arena } from '@rlenv/preset-arena'
import { defineConfig, definePlugin } from 'rlenv'

const recorded = new Set(['rollout:end', 'evaluation:start', 'evaluation:end', 'step:end', 'checkpoint:saved'])
let events = 0

const jumpingLearner = definePlugin({
  name: 'jumping-learner',
  setup: async (_options, context) => {
    const plugin = embeddedLearner({ weights: 8192 })
    const hooks = await plugin.setup(plugin.resolveOptions(), context)
    const learner = async (slot) => {
      const built = await hooks.learner(slot)
      const publish = built.publish.bind(built)
      built.publish = async (signal) => ((await publish(signal)) === 3 ? publish(signal) : built.policyVersion)
      return built
    }
    return { learner }
  },
})

const crash = definePlugin({
  name: 'crash',
  setup: () => ({
    watch: ({ type }) => {
      if (recorded.has(type)) events += 1
      if (type === 'run:end') console.error('events: ' + events)
      if (events === Number(process.env.CRASH_AT)) process.kill(process.pid, 'SIGKILL')
    },
  }),
})

export default defineConfig({
  extends: arena({ environments: 4, tasksPerEnvironment: 5 }),
  plugins: [jumpingLearner(), crash()],
  training: {
    steps: 5,
    tasksPerStep: 2,
    rolloutsPerTask: 2,
    optimizerStepsPerStep: 2,
    maxRefills: 1,
    evaluateEverySteps: 3,
    checkpointEverySteps: 2,
    keepCheckpoints: 1,
    bufferMib: 0,
  },
  evaluation: { heldOutShare: 0.25, rolloutsPerTask: 1, maxTasks: 1, greedy: false },
  rollout: { maxTurns: 6 },
  seed: 10,
})
`

/** Steps of that run. */
const steps = 5

type Line = Readonly<Record<string, number>>

/** What a run must end with, however often it was killed: its results, and everything that training goes on from. */
export interface RunResults {
  readonly summary: unknown
  /** Rollouts that each step trained on, by id, stored ones that were swapped in among them. */
  readonly trained: readonly (readonly string[])[]
  readonly metrics: readonly Line[]
  /** The sampler's state, with the ordinal of the next draw. */
  readonly sampler: unknown
  /** sha-256 by path of all files, the last checkpoint's replay store, weights, moments and past policies among them. */
  readonly files: Readonly<Record<string, string>>
}

/** What tells how a run came to its end; `config.resolved.json` and `summary.json` name folders. */
export const ofTheCourse = /^logs\/|^(metadata|config\.resolved|summary)\.json$|^timings\.jsonl$|\.torn$/

export function resultsOf(directory: string): RunResults {
  const { directory: _own, ...summary } = JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8'))
  const checkpoint = join(directory, 'checkpoints', `step_${steps}`)
  const { sampler, frontier } = JSON.parse(readFileSync(join(checkpoint, 'checkpoint.json'), 'utf8'))
  return {
    summary,
    trained: Array.from({ length: steps }, (_, step) => trainedIn(directory, step).map(({ id }) => id)),
    metrics: linesOf<Line>(join(directory, 'metrics.jsonl')),
    sampler: { sampler, frontier },
    files: treeOf(directory, (path) => !ofTheCourse.test(path)),
  }
}

/** A member of a group, as its line says. */
interface Member {
  readonly id: string
  readonly replayed?: boolean
}

/** What a step rolled out. */
export function generatedIn(directory: string, step: number): readonly Member[] {
  return linesOf(join(directory, 'rollouts', `step_${step}`, 'train', 'all', 'traces.jsonl'))
}

/** What a step trained on; when nothing was taken from or added to its groups, they are written once. */
export function trainedIn(directory: string, step: number): readonly Member[] {
  const folder = join(directory, 'rollouts', `step_${step}`, 'train')
  const set = readdirSync(folder).includes('effective') ? 'effective' : 'all'
  return linesOf(join(folder, set, 'traces.jsonl'))
}

function linesOf<Value>(path: string): readonly Value[] {
  const text = readFileSync(path, 'utf8').trimEnd()
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Value)
}

/** The one run below a folder of runs. */
export function runIn(folder: string): string {
  const names = readdirSync(join(folder, 'train'))
  if (names.length !== 1) throw new Error(`${folder} holds ${names.length} runs`)
  return join(folder, 'train', names[0] as string)
}

/** Calls `work` for every item, two at a time. */
export async function twoAtATime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as Item)
  }
  await Promise.all([lane(), lane()])
  return results
}

/** Trains with output in a folder of its own until the process is killed; returns the run's folder. */
export async function killedRun(
  project: Project,
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const output = `output.directory=${folder}/outputs`
  const { code, stderr } = await project.run('sh', ['-c', `exec $RLENV train --set ${output}`], variables)
  if (code !== null) throw new Error(`the run in ${folder} was not killed, it ended with ${code}: ${stderr}`)
  return runIn(project.path(folder, 'outputs'))
}

/** Resumes every one of these runs to its end, in two processes that go through half of them each. */
export async function resumeAll(project: Project, directories: readonly string[]): Promise<void> {
  const script = join(import.meta.dirname, 'resume-all.mjs')
  const halves = [0, 1].map((half) => directories.filter((_, index) => index % 2 === half))
  const ended = await Promise.all(halves.map((half) => project.run(process.execPath, [script, ...half])))
  for (const { code, stdout, stderr } of ended) {
    if (code !== 0) throw new Error(`a run could not be resumed: ${stdout.slice(-2000)}\n${stderr.slice(-2000)}`)
  }
}

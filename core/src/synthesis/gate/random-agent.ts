import type { RandomStream } from '../../determinism/random-stream.ts'
import type { ExecutableEnvironment } from '../../environment/executable-environment.ts'
import type { ArgumentPool } from '../../environment/tools/argument-pool.ts'
import { callableSchema } from '../../environment/tools/callable-schema.ts'
import { generateArguments } from '../../environment/tools/generate-arguments.ts'
import type { Json } from '../../vocabulary/json.ts'
import type { GoldRun, Task } from '../../vocabulary/task.ts'
import type { Tool } from '../../vocabulary/tool.ts'
import type { Exhibit } from './judgement.ts'
import { answerText } from './scripted-trajectory.ts'

/** Calls beyond those of the gold run that the agent may make. */
const spareCalls = 2

/** An agent that calls tools at random, with arguments that fit and ids that exist, and answers with something it saw. */
export class RandomAgent {
  readonly #executable: ExecutableEnvironment
  readonly #tools: readonly Tool[]
  readonly #pool: ArgumentPool

  constructor(executable: ExecutableEnvironment, tools: readonly Tool[], pool: ArgumentPool) {
    this.#executable = executable
    this.#tools = tools
    this.#pool = pool
  }

  /** Plays one task on a fresh instance and hands what came of it to `judge`. */
  async play<T>(task: Task, random: RandomStream, judge: (exhibit: Exhibit) => Promise<T>): Promise<T> {
    const instance = this.#executable.open({ seed: random.uint32() })
    try {
      const calls: GoldRun['calls'][number][] = []
      const most = this.#tools.length === 0 ? 0 : task.gold.calls.length + spareCalls
      while (calls.length < most) {
        const tool = random.pick(this.#tools)
        const args = generateArguments(callableSchema(tool), random, this.#pool, { tables: tool.tables })
        calls.push({ call: { tool: tool.name, arguments: args }, ...instance.call(tool.name, args) })
      }
      const { final, diff } = instance.capture()
      const answer = task.gold.answer === null ? answerText(null) : randomAnswer(calls, random)
      return await judge({ script: 'random agent', calls, answer, final, diff })
    } finally {
      instance.close()
    }
  }
}

/** One of the values that the results held. */
function randomAnswer(calls: GoldRun['calls'], random: RandomStream): string {
  const seen = calls.flatMap(({ result }) => (result.ok ? scalarsOf(result.content) : []))
  return seen.length === 0 ? answerText(null) : answerText(random.pick(seen))
}

function scalarsOf(content: Json): Json[] {
  if (content === null) return []
  if (typeof content !== 'object') return [content]
  return Object.values(content).flatMap(scalarsOf)
}

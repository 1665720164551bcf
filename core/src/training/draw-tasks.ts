import { RandomStream } from '../determinism/random-stream.ts'
import { didYouMean } from '../errors/near-names.ts'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { Draw, TaskSampler } from '../hooks/roles.ts'
import type { Task } from '../vocabulary/task.ts'

/**
 * Asks the sampler for tasks and checks the answer.
 *
 * @throws {RlenvError} RLENV_SAMPLER_INVALID naming the wrong number, or the unknown task with names near to it.
 */
export function drawTasks(sampler: TaskSampler, count: number, tasks: ReadonlyMap<string, Task>): readonly Task[] {
  const ids = sampler.draw(count)
  if (!Array.isArray(ids) || ids.length !== count) {
    const got = Array.isArray(ids) ? `${ids.length}` : typeof ids
    throw new RlenvError(`the sampler was asked for ${count} tasks and drew ${got}`, {
      code: 'RLENV_SAMPLER_INVALID',
      hook: 'sampler',
      fix: 'Return exactly as many task ids as draw() is asked for; a task may come more than once.',
    })
  }
  return ids.map((id: unknown) => {
    const task = tasks.get(String(id))
    if (task !== undefined) return task
    throw new RlenvError(`the sampler drew "${String(id)}", which is not among the ${tasks.size} training tasks`, {
      code: 'RLENV_SAMPLER_INVALID',
      hook: 'sampler',
      fix: didYouMean(String(id), tasks.keys()) ?? 'Draw the ids of the tasks that the sampler was given.',
    })
  })
}

/** Draws in the order of their tasks. Ids and world seeds follow from the run's seed and the ordinal alone. */
export function drawsOf(
  tasks: readonly Task[],
  { seed, firstOrdinal, policyVersion }: { seed: number; firstOrdinal: number; policyVersion: number },
): readonly Draw[] {
  return tasks.map((task, index) => {
    const ordinal = firstOrdinal + index
    return {
      id: `d${ordinal}`,
      ordinal,
      taskId: task.id,
      environmentId: task.environmentId,
      seed: RandomStream.of(seed, 'train', 'world', ordinal).uint32(),
      policyVersion,
    }
  })
}

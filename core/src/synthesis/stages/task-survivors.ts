import type { ResolvedConfig } from '../../config/rlenv-config.ts'
import type { Environment } from '../../vocabulary/environment.ts'
import type { Task } from '../../vocabulary/task.ts'
import type { DroppedItem, EnvironmentPart, StageResult } from '../stage.ts'

/** The result of a stage that tasks survive or do not. What is missing from the number wanted counts as not working. */
export function taskSurvivors(
  tasks: readonly Task[],
  part: EnvironmentPart,
  dropped: readonly DroppedItem[],
  settings: ResolvedConfig['synthesis'],
): StageResult {
  const { tasksPerEnvironment, minTasksPerEnvironment } = settings
  const least = Math.min(minTasksPerEnvironment, tasksPerEnvironment)
  const usable = tasks.length >= least
  const missing = Math.max(0, tasksPerEnvironment - tasks.length)
  const made = tasks.length + dropped.length
  const few = `${tasks.length} of ${made} tasks are left, ${usable ? `${tasksPerEnvironment} are wanted` : `at least ${least} are needed`}`
  return {
    part: { ...part, tasks },
    errors: [...(missing > 0 ? [few] : []), ...dropped.map(({ item, message }) => `${item}: ${message}`)],
    errorShare: Math.max(missing / tasksPerEnvironment, made === 0 ? 1 : dropped.length / made),
    usable,
    reason: usable ? null : 'too_few_tasks',
    dropped,
  }
}

/** Those verifiers of an environment whose tasks are left. */
export function verifiersOf(tasks: readonly Task[], verifiers: Environment['verifiers']): Environment['verifiers'] {
  return Object.fromEntries(
    tasks.flatMap(({ id }) => {
      const stored = verifiers[id]
      return stored === undefined ? [] : [[id, stored]]
    }),
  )
}

import { RlenvError } from '../errors/rlenv-error.ts'
import { issueText, type SchemaIssue, schemaIssues } from '../errors/schema-issues.ts'
import { configSchema, settingPaths } from './config-schema.ts'

/** What other versions and other tools call a setting, and its name here. */
const renamedKeys: Readonly<Record<string, string>> = {
  preset: 'extends',
  presets: 'extends',
  exclude: 'without',
  outputDir: 'output.directory',
  'output.dir': 'output.directory',
  concurrency: 'rollout.maxConcurrentRollouts',
  'rollout.concurrency': 'rollout.maxConcurrentRollouts',
  'rollout.maxConcurrent': 'rollout.maxConcurrentRollouts',
  'rollout.maxSteps': 'rollout.maxTurns',
  'rollout.timeoutMs': 'rollout.rolloutTimeoutMs',
  'rollout.groupSize': 'training.rolloutsPerTask',
  groupSize: 'training.rolloutsPerTask',
  'training.groupSize': 'training.rolloutsPerTask',
  'training.numGenerations': 'training.rolloutsPerTask',
  'training.batchSize': 'training.tasksPerStep',
  'training.maxSteps': 'training.steps',
  'training.optimizerSteps': 'training.optimizerStepsPerStep',
  'synthesis.scenarios': 'synthesis.environments',
  'synthesis.concurrency': 'synthesis.maxConcurrentEnvironments',
  'evaluation.testShare': 'evaluation.heldOutShare',
}

/**
 * Refuses a configuration with an unknown key or an unfit value.
 *
 * @param where - the file or preset it came from.
 * @throws {RlenvError} RLENV_CONFIG_INVALID with every finding.
 */
export function checkConfig(value: object, where: string): void {
  const issues = schemaIssues(configSchema, value)
  if (issues.length === 0) return
  const known = issues.map((issue) => ({ issue, name: nameHere(issue) }))
  const texts = known.map(({ issue, name }, index) => {
    if (name !== undefined) return renamed(issue, name)
    // What the fix says need not stand here as well.
    return issueText(index === 0 ? { ...issue, suggestion: undefined } : issue)
  })
  throw new RlenvError(`${where}: ${texts.join('; ')}`, {
    code: 'RLENV_CONFIG_INVALID',
    fix: fixFor(known[0]?.issue, known[0]?.name, where),
  })
}

/** The present name of an unknown key that is known by another one, or that belongs to another section. */
function nameHere(issue: SchemaIssue): string | undefined {
  if (issue.message !== 'unknown key') return undefined
  const leaf = String(issue.keys.at(-1))
  if (Object.hasOwn(renamedKeys, issue.path)) return renamedKeys[issue.path]
  return settingPaths.find((path) => path.endsWith(`.${leaf}`))
}

function renamed(issue: SchemaIssue, name: string): string {
  return `${issue.path}: unknown key; here it is called "${name}"`
}

function fixFor(issue: SchemaIssue | undefined, name: string | undefined, where: string): string {
  const path = issue?.path ?? ''
  if (name !== undefined) return `Write "${name}" instead of "${path}" in ${where}.`
  if (issue?.message === 'unknown key') return issue.suggestion ?? `Remove "${path}" from ${where}.`
  return `Correct "${path}" in ${where}.`
}

import { contentHash } from '../determinism/content-hash.ts'
import { type Environment, provenanceSchema } from '../vocabulary/environment.ts'
import { type Task, taskSchema } from '../vocabulary/task.ts'
import { toolSchema } from '../vocabulary/tool.ts'
import { bundleError, isPartPath } from './bundle-path.ts'
import { type BundleManifest, type BundleTask, bundleFormat } from './bundle-schemas.ts'

/** Text of every file of a bundle, by path, in the order in which paths sort. */
export type BundleParts = ReadonlyMap<string, string>

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/**
 * The files that an environment is stored as. Equal environments give equal bytes: fields stand in a fixed order, and
 * whatever is free-form keeps the order it came in, because tools show their parameters in it.
 *
 * @throws {RlenvError} RLENV_BUNDLE_INVALID when a path in `files` or `scripts` would leave the bundle, or two parts
 * would share one.
 */
export function encodeBundle(environment: Environment): BundleParts {
  const parts = contentParts(environment)
  const sorted = new Map([...parts].sort(([a], [b]) => (a < b ? -1 : 1)))
  const hashes = Object.fromEntries([...sorted].map(([path, text]) => [path, contentHash(text)]))
  return new Map([['environment.json', pretty(manifestOf(environment, hashes))], ...sorted])
}

function contentParts(environment: Environment): Map<string, string> {
  const parts = new Map<string, string>()
  const lowerCase = new Set<string>()
  const add = (path: string, text: string) => {
    if (!isPartPath(path)) throw bundleError(environment.id, path, 'is no path that a bundle can hold')
    if (lowerCase.has(path.toLowerCase())) throw bundleError(environment.id, path, 'is the path of two parts')
    lowerCase.add(path.toLowerCase())
    parts.set(path, text)
  }
  add('schema.sql', environment.database.schema)
  add('data.sql', environment.database.data)
  add('tools.json', pretty(environment.tools.map((tool) => toolSchema.parse(tool))))
  add('tasks.jsonl', environment.tasks.map((task) => `${JSON.stringify(taskLine(environment, task))}\n`).join(''))
  for (const task of environment.tasks) {
    const verifier = environment.verifiers[task.id]
    if (verifier !== undefined) add(verifierPathOf(task), pretty(verifier))
  }
  for (const [path, text] of Object.entries(environment.scripts)) add(path, text)
  for (const [path, text] of Object.entries(environment.files)) add(`files/${path}`, text)
  return parts
}

function taskLine(environment: Environment, task: Task): BundleTask {
  const stored = environment.verifiers[task.id] !== undefined
  return { ...taskSchema.parse(task), verifier: stored ? verifierPathOf(task) : null }
}

function verifierPathOf(task: Task): string {
  return `verifiers/${task.id.slice(task.id.indexOf('/') + 1)}.json`
}

function manifestOf({ id, scenario, database, seed, provenance }: Environment, parts: Record<string, string>) {
  const { name, description, taxonomy, annotations } = scenario
  return {
    format: bundleFormat,
    id,
    scenario: { name, description, annotations },
    taxonomy,
    clock: database.clock,
    seed,
    annotations: database.annotations,
    provenance: provenance.map((stage) => provenanceSchema.parse(stage)),
    parts,
  } satisfies BundleManifest
}

import type { z } from 'zod'
import { contentHash } from '../determinism/content-hash.ts'
import { messageOf } from '../errors/rlenv-error.ts'
import { issueText, schemaIssues } from '../errors/schema-issues.ts'
import type { Environment } from '../vocabulary/environment.ts'
import { storedVerifierSchema, type Task } from '../vocabulary/task.ts'
import { bundleError, isPartPath } from './bundle-path.ts'
import { type BundleManifest, type BundleTask, bundleFormat, bundleSchemas } from './bundle-schemas.ts'
import type { BundleParts } from './encode-bundle.ts'

/**
 * Reads `environment.json`: the format and which parts there are.
 *
 * @throws {RlenvError} RLENV_BUNDLE_INVALID when it is damaged, of another format, or names a part outside the bundle.
 */
export function decodeManifest(text: string, where: string): BundleManifest {
  const value = parseJson(text, where, 'environment.json')
  const format: unknown = Object(value).format
  if (format !== bundleFormat) {
    throw bundleError(
      where,
      'environment.json',
      `has format ${JSON.stringify(format)}, this version reads ${bundleFormat}`,
    )
  }
  const manifest = fitting(bundleSchemas.environment, value, where, 'environment.json')
  const outside = Object.keys(manifest.parts).find((path) => !isPartPath(path))
  if (outside !== undefined)
    throw bundleError(where, 'environment.json', `lists ${outside}, which is no part of a bundle`)
  return manifest
}

/** Refuses parts whose bytes are not the ones that the manifest names. */
function checkParts(manifest: BundleManifest, parts: BundleParts, where: string): void {
  for (const [path, hash] of Object.entries(manifest.parts)) {
    const text = parts.get(path)
    if (text === undefined) throw bundleError(where, path, 'is missing')
    if (contentHash(text) !== hash) {
      throw bundleError(where, path, 'does not have the content that environment.json has a hash of')
    }
  }
}

/**
 * The environment that the parts of a bundle hold.
 *
 * @throws {RlenvError} RLENV_BUNDLE_INVALID naming the part that is missing, does not have the content of its hash, or
 * does not fit its schema.
 */
export function decodeBundle(manifest: BundleManifest, parts: BundleParts, where: string): Environment {
  const { id, scenario, taxonomy, clock, seed, annotations, provenance } = manifest
  checkParts(manifest, parts, where)
  const part = (path: string) => {
    const text = parts.get(path)
    if (text === undefined) throw bundleError(where, path, 'is missing')
    return text
  }
  const lines = taskLines(part('tasks.jsonl'), where)
  const foreign = lines.find((line) => line.environmentId !== id || !line.id.startsWith(`${id}/`))
  if (foreign !== undefined)
    throw bundleError(where, 'tasks.jsonl', `holds ${foreign.id}, a task of another environment`)
  return {
    id,
    scenario: {
      id,
      name: scenario.name,
      description: scenario.description,
      taxonomy,
      annotations: scenario.annotations,
    },
    seed,
    database: { schema: part('schema.sql'), data: part('data.sql'), clock, annotations },
    tools: fitting(bundleSchemas.tools, parseJson(part('tools.json'), where, 'tools.json'), where, 'tools.json'),
    tasks: lines.map(withoutVerifier),
    verifiers: Object.fromEntries(
      lines.flatMap((line) => {
        if (line.verifier === null) return []
        const stored = parseJson(part(line.verifier), where, line.verifier)
        return [[line.id, fitting(storedVerifierSchema, stored, where, line.verifier)]]
      }),
    ),
    scripts: Object.fromEntries([...parts].filter(([path]) => path.endsWith('.ts') && !path.startsWith('files/'))),
    files: Object.fromEntries(
      [...parts].flatMap(([path, text]) => (path.startsWith('files/') ? [[path.slice('files/'.length), text]] : [])),
    ),
    provenance,
  }
}

function withoutVerifier({ verifier: _verifier, ...task }: BundleTask): Task {
  return task
}

function taskLines(text: string, where: string): readonly BundleTask[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line, index) => {
    const name = `tasks.jsonl:${index + 1}`
    return fitting(bundleSchemas.task, parseJson(line, where, name), where, name)
  })
}

function parseJson(text: string, where: string, part: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw bundleError(where, part, `is not JSON: ${messageOf(cause)}`, cause)
  }
}

function fitting<T>(schema: z.ZodType<T>, value: unknown, where: string, part: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = schemaIssues(schema, value).slice(0, 3).map(issueText)
  throw bundleError(where, part, `does not fit its schema: ${issues.join('; ')}`, result.error)
}

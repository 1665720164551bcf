import { readFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { messageOf } from '../errors/rlenv-error.ts'
import type { Environment } from '../vocabulary/environment.ts'
import { bundleError } from './bundle-path.ts'
import { decodeBundle, decodeManifest } from './decode-bundle.ts'
import { type BundleParts, encodeBundle } from './encode-bundle.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

/** More than this, unpacked, is no environment but an attack on the reader's memory. */
const maxUnpackedBytes = 1 << 28

/** Position of the byte in a gzip header (RFC 1952) that names the system it was made on, and its "unknown". */
const gzipSystemByte = 9
const unknownSystem = 255

const lineSchema = z.strictObject({ path: z.string(), text: z.string() })

/**
 * Writes an environment as one file to share: gzip over one JSON line `{ path, text }` per part of its bundle,
 * `environment.json` first. Equal environments give equal bytes, on every system.
 *
 * @throws {RlenvError} RLENV_DISK_FULL, RLENV_OUTPUT_UNWRITABLE
 */
export async function packBundle(environment: Environment, file: string): Promise<void> {
  const lines = [...encodeBundle(environment)].map(([path, text]) => `${JSON.stringify({ path, text })}\n`)
  const bytes = gzipSync(lines.join(''), { level: 9 })
  bytes[gzipSystemByte] = unknownSystem
  await writeFileAtomic(file, bytes)
}

/**
 * Reads an environment from a file that `packBundle` wrote, with the checks of `readBundle`.
 *
 * @throws {RlenvError} RLENV_BUNDLE_INVALID naming the damaged part.
 */
export async function unpackBundle(file: string): Promise<Environment> {
  const parts = unpackedParts(await unzipped(file), file)
  const manifest = decodeManifest(parts.get('environment.json') ?? '', file)
  const listed = new Map([...parts].filter(([path]) => Object.hasOwn(manifest.parts, path)))
  return decodeBundle(manifest, listed, file)
}

async function unzipped(file: string): Promise<string> {
  try {
    return gunzipSync(await readFile(file), { maxOutputLength: maxUnpackedBytes }).toString('utf8')
  } catch (cause) {
    throw bundleError(file, 'the file', `cannot be unpacked: ${messageOf(cause)}`, cause)
  }
}

function unpackedParts(text: string, file: string): BundleParts {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line, index): readonly [string, string] => {
      try {
        const part = lineSchema.parse(JSON.parse(line))
        return [part.path, part.text]
      } catch (cause) {
        throw bundleError(file, `line ${index + 1}`, 'is no part of a bundle', cause)
      }
    }),
  )
}

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of all files in a folder, relative to it, sorted. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
}

/** What every file of a folder holds, by path: equal trees are equal byte for byte. */
export function treeOf(
  folder: string,
  wanted: (path: string) => boolean = () => true,
): Readonly<Record<string, string>> {
  const entries = filesIn(folder)
    .filter(wanted)
    .map((path) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex')
      return [path, hash] as const
    })
  return Object.fromEntries(entries)
}

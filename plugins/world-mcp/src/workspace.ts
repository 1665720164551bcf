import { cp, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of one instance. */
export interface Workspace {
  readonly path: string
  remove(): Promise<void>
}

/** Makes an empty folder, or a copy of one. */
export async function openWorkspace(template: true | string): Promise<Workspace> {
  const path = await mkdtemp(join(await realpath(tmpdir()), 'rlenv-mcp-'))
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  try {
    if (template !== true) await cp(template, path, { recursive: true })
    return { path, remove }
  } catch (cause) {
    await remove()
    throw cause
  }
}

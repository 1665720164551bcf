import { RlenvError } from '../errors/rlenv-error.ts'

/** What `--force` does, for help texts. */
export const forceDescription =
  'Go on although the dataset, the configuration or a plugin has changed. The folder must be named.'

/**
 * What differs is no reason to stop for a resume that is forced, so nothing would keep it from taking the wrong run.
 *
 * @throws {RlenvError} RLENV_USAGE when no folder is named.
 */
export function requireFolder(folder: string | undefined, command: string): void {
  if (folder !== undefined) return
  throw new RlenvError('--force goes on with a run that is named, and none is', {
    code: 'RLENV_USAGE',
    fix: `Name the folder of the run, "rlenv ${command} <folder> --force"; "rlenv list" shows all of them.`,
  })
}

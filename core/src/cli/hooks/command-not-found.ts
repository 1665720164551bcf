import type { Hook } from '@oclif/core'
import { exitCodeOf } from '../../errors/exit-code.ts'
import { didYouMean } from '../../errors/near-names.ts'
import { renderError } from '../../errors/render-error.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'

/** A word that is no command: the one that it is near to, as an error like any other. */
const commandNotFound: Hook<'command_not_found'> = async ({ id, argv = [], config }) => {
  const error = new RlenvError(`there is no command "${id}"`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(id, config.commandIDs) ?? 'Run "rlenv --help" to list the commands.',
  })
  process.exitCode = exitCodeOf(error)
  const { code, message, fix } = error
  if (argv.includes('--json')) {
    console.log(JSON.stringify({ status: 'failed', error: { code, message, fix, plugin: null, hook: null } }, null, 2))
  } else process.stderr.write(`${renderError(error)}\n`)
}

export default commandNotFound

import type { Hook } from '@oclif/core'
import { exitCodeOf } from '../../errors/exit-code.ts'
import { didYouMean } from '../../errors/near-names.ts'
import { renderError } from '../../errors/render-error.ts'
import { RlenvError } from '../../errors/rlenv-error.ts'

/** A word that is no command: the one that it is near to, as an error like any other. */
const commandNotFound: Hook<'command_not_found'> = async ({ id, argv = [], config }) => {
  const error = strayWords(id, config.commandIDs) ?? noCommand(id, config.commandIDs)
  process.exitCode = exitCodeOf(error)
  const { code, message, fix } = error
  if (argv.includes('--json')) {
    console.log(JSON.stringify({ status: 'failed', error: { code, message, fix, plugin: null, hook: null } }, null, 2))
  } else process.stderr.write(`${renderError(error)}\n`)
}

function noCommand(id: string, commands: readonly string[]): RlenvError {
  return new RlenvError(`there is no command "${id}"`, {
    code: 'RLENV_USAGE',
    fix: didYouMean(id, commands) ?? 'Run "rlenv --help" to list the commands.',
  })
}

/** A command that takes no words comes here with those it was given, as `eval:these:words`. */
function strayWords(id: string, commands: readonly string[]): RlenvError | null {
  const [command = '', ...words] = id.split(':')
  if (words.length === 0 || !commands.includes(command)) return null
  return new RlenvError(`rlenv ${command} takes no words besides flags, and got "${words.join(' ')}"`, {
    code: 'RLENV_USAGE',
    fix: `Leave them out; "rlenv ${command} --help" lists the flags.`,
  })
}

export default commandNotFound

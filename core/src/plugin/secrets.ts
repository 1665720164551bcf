import { z } from 'zod'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { SecretReference } from '../hooks/plugin.ts'

/** For options that take a secret: a reference, never the value. */
export const secretSchema: z.ZodType<SecretReference, SecretReference> = z.strictObject({
  $env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable'),
})

/** Refers to the environment variable that holds a secret; it is read only by the plugin that needs it. */
export function secret(name: string): SecretReference {
  const parsed = secretSchema.safeParse({ $env: name })
  if (parsed.success) return parsed.data
  throw new RlenvError('secret() was given something that is no name of an environment variable', {
    code: 'RLENV_CONFIG_INVALID',
    fix: "Put the secret into an environment variable and name that: secret('OPENAI_API_KEY').",
  })
}

/** Fewest characters of a value that is looked for in texts. */
const shortestSecret = 6

/** A value that is shorter, or a number, stands in any text by chance: taking it out would tear words and numbers apart. */
function isDistinct(value: string): boolean {
  return value.length >= shortestSecret && !/^[\d.eE+-]+$/.test(value)
}

/** Reads secrets for plugins and takes their values out of every text that leaves the process. */
export class SecretVault {
  readonly #environment: Readonly<Record<string, string | undefined>>
  readonly #values = new Map<string, string>()

  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    this.#environment = environment
  }

  /** @throws {RlenvError} RLENV_SECRET_MISSING when the variable is unset or empty. */
  read(reference: SecretReference, plugin: string): string {
    const value = this.#environment[reference.$env]
    if (value === undefined || value === '') {
      throw new RlenvError(`${plugin} needs the environment variable ${reference.$env}, which is not set`, {
        code: 'RLENV_SECRET_MISSING',
        plugin,
        fix: `Set ${reference.$env} in the environment of the command.`,
      })
    }
    if (isDistinct(value)) {
      this.#values.set(value, reference.$env)
      this.#values.set(JSON.stringify(value).slice(1, -1), reference.$env)
    }
    return value
  }

  /** The text with every secret that was read replaced by the name of its variable, also where it stands in JSON. */
  redact(text: string): string {
    let clean = text
    for (const [value, name] of this.#values) clean = clean.replaceAll(value, `[secret ${name}]`)
    return clean
  }
}

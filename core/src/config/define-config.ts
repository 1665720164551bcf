import type { ConfigEnvironment, RlenvConfig } from './rlenv-config.ts'

/** A configuration that depends on the command that loads it. */
export type ConfigFunction = (environment: ConfigEnvironment) => RlenvConfig | Promise<RlenvConfig>

/** Gives a configuration its type. Returns its argument unchanged. */
export function defineConfig(config: ConfigFunction): ConfigFunction
// Last, because the compiler explains a mistake by the last overload.
export function defineConfig(config: RlenvConfig): RlenvConfig
export function defineConfig(config: RlenvConfig | ConfigFunction): RlenvConfig | ConfigFunction {
  return config
}

import { z } from 'zod'
import { RlenvError } from '../errors/rlenv-error.ts'
import type { AblationOptions } from './ablation-plan.ts'

const layer = z.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  message: 'expected a layer of configuration',
})

const schema = z.strictObject({
  arms: z.record(z.string().min(1), layer),
  seeds: z.int().min(1).exactOptional(),
  rollouts: z.int().min(1).nullable().exactOptional(),
  trainingTasks: z.int().min(0).exactOptional(),
})

/**
 * What an ablation file exports, checked; the layers are checked when they are put over the configuration.
 *
 * @throws {RlenvError} RLENV_CONFIG_INVALID
 */
export function checkAblation(exported: unknown, file: string): AblationOptions {
  const parsed = schema.safeParse(exported)
  if (!parsed.success) throw invalid(`${file}: ${z.prettifyError(parsed.error)}`)
  if (Object.keys(parsed.data.arms).length < 2) throw invalid(`${file} has fewer than two arms to compare`)
  return parsed.data as AblationOptions
}

function invalid(message: string): RlenvError {
  return new RlenvError(message, {
    code: 'RLENV_CONFIG_INVALID',
    fix: 'Export defineAblation({ arms: { name: { … }, … } }) as the default.',
  })
}

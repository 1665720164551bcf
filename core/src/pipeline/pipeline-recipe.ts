import { z } from 'zod'
import type { PipelineRecipe } from '../plugin/pipeline.ts'
import type { JsonObject } from '../vocabulary/json.ts'

/** What a configuration file was loaded with. */
export interface RecipeOptions {
  /** Absolute path. */
  readonly file: string
  readonly cwd: string
  readonly command: string
  /** Words of `--set`. */
  readonly set: readonly string[]
}

const schema: z.ZodType<RecipeOptions> = z.strictObject({
  file: z.string(),
  cwd: z.string(),
  command: z.string(),
  set: z.array(z.string()),
})

/** How a shard loads the configuration that was loaded here. */
export function recipeOf(options: RecipeOptions, log: PipelineRecipe['log']): PipelineRecipe {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const module = new URL(`./shard-main.${extension}`, import.meta.url).href
  return { module, options: { ...options, set: [...options.set] }, log }
}

export function readRecipe(options: JsonObject): RecipeOptions {
  return schema.parse(options)
}

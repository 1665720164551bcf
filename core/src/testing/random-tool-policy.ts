import { generateArguments } from '../environment/tools/generate-arguments.ts'
import type { Policy } from '../hooks/roles.ts'
import { type ScriptedPolicyOptions, scriptedPolicy } from './scripted-policy.ts'

export interface RandomToolPolicyOptions extends ScriptedPolicyOptions {
  /** Calls before it answers. Default 4. */
  readonly calls?: number
}

/** A policy that knows nothing: it calls tools at random with arguments that fit their schemas, then says "Done.". */
export function randomToolPolicy(options: RandomToolPolicyOptions = {}): Policy {
  const { calls = 4, ...rest } = options
  return scriptedPolicy(
    ({ tools, random }, turn) => {
      if (turn >= calls || tools.length === 0) return 'Done.'
      const tool = random.pick(tools)
      return { tool: tool.name, arguments: generateArguments(tool.inputSchema, random) }
    },
    { name: 'random-tools', ...rest },
  )
}

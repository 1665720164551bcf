import type { Tool } from '../../vocabulary/tool.ts'
import { loadSandbox } from './quickjs-module.ts'

/** Makes these tools runnable: loads the sandbox when one of them is a script, and does nothing otherwise. */
export async function sandboxFor(tools: readonly Tool[]): Promise<void> {
  if (tools.some(({ implementation }) => implementation.kind === 'script')) await loadSandbox()
}

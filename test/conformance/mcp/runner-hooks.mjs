// Preloaded into the two runners, whose published packages do not start as they are on Node 20: the conformance runner
// imports `globSync` from fs, which Node has since 22 and which its server scenarios do not call, and the inspector's
// command line looks for its package.json where it lies in the inspector's own repository.
import fs from 'node:fs'
import { register } from 'node:module'

const shim = `
export * from 'node:fs'
export { default } from 'node:fs'
export const globSync = () => { throw new Error('fs.globSync needs Node 22') }
`

const hooks = `
export async function resolve(specifier, context, next) {
  const parent = context.parentURL ?? ''
  if (${!('globSync' in fs)} && specifier === 'fs' && parent.includes('/@modelcontextprotocol/conformance/')) {
    return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(shim)}`)}, shortCircuit: true }
  }
  const isMisplaced = specifier === '../../package.json' && parent.includes('/@modelcontextprotocol/inspector-cli/')
  return next(isMisplaced ? '../package.json' : specifier, context)
}
`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)

const literals = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g

/**
 * Whether a verifier script uses a state or the diff at all; a name that is only unpacked from its argument does not
 * count. A first sieve for verifiers that look for words in the answer: those that get through still have to change
 * their verdict when the world does.
 */
export function readsWorld(source: string): boolean {
  const code = source.replace(literals, ' ')
  return ['initial', 'final', 'diff'].some((name) => {
    const asMember = new RegExp(`\\.\\s*${name}\\b`)
    const byItself = code.match(new RegExp(`(?<![\\w$.])${name}\\b(?!\\s*:)`, 'g')) ?? []
    return asMember.test(code) || byItself.length > 1
  })
}

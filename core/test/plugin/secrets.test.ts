import { describe, expect, test } from 'vitest'
import { SecretVault, secret } from '../../src/plugin/secrets.ts'

function vaultOf(value: string): SecretVault {
  const vault = new SecretVault({ API_KEY: value })
  vault.read(secret('API_KEY'), 'caller')
  return vault
}

describe('a secret that a plugin read', () => {
  test('is taken out of text, and out of JSON where it is written with escapes', () => {
    const value = 'sk-a"b\\c'
    const vault = vaultOf(value)
    expect(vault.redact(`401 for ${value}`)).toBe('401 for [secret API_KEY]')
    const line = vault.redact(JSON.stringify({ message: `401 for ${value}` }))
    expect(JSON.parse(line)).toEqual({ message: '401 for [secret API_KEY]' })
  })

  test.each(['1', '1234567', 'true', ''.padEnd(5, 'x')])('leaves JSON whole when it is "%s"', (value) => {
    const line = JSON.stringify({ seed: 1, count: 12345678, isTrue: true, text: 'xxxxx' })
    expect(vaultOf(value).redact(line)).toBe(line)
  })

  test('stays in the text of a vault that never read it', () => {
    expect(new SecretVault({ API_KEY: 'sk-123456' }).redact('sk-123456')).toBe('sk-123456')
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { bundleJsonSchemas } from '../../src/artifacts/bundle-schemas.ts'
import { encodeBundle } from '../../src/artifacts/encode-bundle.ts'
import { tinyEnvironment } from '../../src/testing/tiny-environment.ts'

const published = new URL('../../schemas/', import.meta.url)
const parts = encodeBundle(tinyEnvironment())
const validator = (name: string) =>
  new Ajv2020({ strict: false, validateFormats: false }).compile(bundleJsonSchemas()[name] as object)

describe('the published JSON Schemas', () => {
  test('are the ones that bundles are read with', () => {
    const files = readdirSync(published).map((name) => [
      name,
      JSON.parse(readFileSync(new URL(name, published), 'utf8')),
    ])
    expect(Object.fromEntries(files)).toEqual(bundleJsonSchemas())
  })

  test.each<[string, string, (text: string) => readonly unknown[]]>([
    ['environment.schema.json', 'environment.json', (text) => [JSON.parse(text)]],
    ['tools.schema.json', 'tools.json', (text) => [JSON.parse(text)]],
    [
      'task.schema.json',
      'tasks.jsonl',
      (text) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    ],
    ['verifier.schema.json', 'verifiers/lend.json', (text) => [JSON.parse(text)]],
  ])('%s accepts what is written to %s and nothing less', (name, part, values) => {
    const accepts = validator(name)
    for (const value of values(parts.get(part)!)) expect(accepts(value), JSON.stringify(accepts.errors)).toBe(true)
    expect(accepts({ unknown: 1 })).toBe(false)
  })
})

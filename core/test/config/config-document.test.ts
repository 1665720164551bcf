import { expect, test } from 'vitest'
import { z } from 'zod'
import { resolvedConfigDocument } from '../../src/config/config-document.ts'
import { resolveConfig } from '../../src/config/resolve-config.ts'
import { assemblePipeline } from '../../src/plugin/assemble-pipeline.ts'
import { definePlugin } from '../../src/plugin/define-plugin.ts'
import { SecretVault, secret, secretSchema } from '../../src/plugin/secrets.ts'

const client = definePlugin({
  name: 'client',
  version: '2.0.0',
  options: z.strictObject({
    apiKey: secretSchema,
    retries: z.int().default(3),
    onRetry: z.custom<() => void>().optional(),
  }),
  setup: (options, context) => {
    context.secret(options.apiKey)
    return { watch: () => undefined }
  },
})

async function documentOf(set: readonly string[] = []) {
  const plugin = client({ apiKey: secret('RLENV_TEST_KEY'), onRetry: function later() {} })
  const preset = { name: 'preset', training: { steps: 4 } }
  const loaded = await resolveConfig({ extends: preset, plugins: [plugin] }, { command: 'train', set })
  const secrets = new SecretVault({ RLENV_TEST_KEY: 'sk-very-secret' })
  const { report } = await assemblePipeline(loaded.layers, { secrets })
  return resolvedConfigDocument(loaded, report)
}

test('the resolved configuration survives JSON and holds secrets as references only', async () => {
  const document = await documentOf()
  const text = JSON.stringify(document)
  expect(JSON.parse(text)).toEqual(document)
  expect(text).not.toContain('sk-very-secret')
  expect(document.plugins).toEqual([
    {
      name: 'client',
      version: '2.0.0',
      layer: { index: 2, name: 'config' },
      options: { apiKey: { $env: 'RLENV_TEST_KEY' }, retries: 3, onRetry: '[function later]' },
    },
  ])
})

test('the resolved configuration names layers, origins and hooks', async () => {
  const document = await documentOf(['seed=3', 'plugins.client.retries=5'])
  expect(document.layers.map(({ name }) => name)).toEqual(['core', 'preset', 'config', '--set'])
  expect(document.origins['training.steps']).toEqual({ index: 1, name: 'preset' })
  expect(document.plugins[0]).toMatchObject({ layer: { name: '--set' }, options: { retries: 5 } })
  expect(document.hooks.find(({ hook }) => hook === 'watch')?.plugins).toMatchObject([{ name: 'client' }])
})

test('secret() takes the name of a variable, never a secret', () => {
  expect(secret('OPENAI_API_KEY')).toEqual({ $env: 'OPENAI_API_KEY' })
  expect(() => secret('sk-proj-123')).toThrow(expect.objectContaining({ code: 'RLENV_CONFIG_INVALID' }))
  expect(() => secret('sk-proj-123')).not.toThrow('sk-proj-123')
})

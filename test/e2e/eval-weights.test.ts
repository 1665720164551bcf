import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Project, smallConfig } from './project.ts'

const project = new Project({ 'rlenv.config.ts': smallConfig() })
const wider = ['--set', 'evaluation.heldOutShare=0.75']

interface Evaluated {
  readonly weights: string
  readonly sampled: { readonly pass1: { readonly value: number } }
}

beforeAll(async () => {
  await project.json(['train', '--steps', '2'])
})
afterAll(() => project.remove())

test('eval takes the weights of the training run of this configuration', async () => {
  const { weights } = await project.json<Evaluated>(['eval', '-r', '1'])
  expect(weights).toMatch(/after 2 steps, from .*outputs\/train\//)
})

test('eval refuses runs that held other environments out, and says what to do', async () => {
  const error = await project.failure(['eval', '-r', '1', ...wider], 2)
  expect(error).toMatchObject({ code: 'RLENV_USAGE' })
  expect(error.message).toContain('had other plugins or other environments')
  expect(error.fix).toContain('--base')
})

test('eval never calls environments held out that the named run was trained on', async () => {
  const run = project.runDirectories()[0] ?? ''
  const error = await project.failure(['eval', '-r', '1', '--run', run, ...wider], 2)
  expect(error.message).toMatch(/was trained on \d+ of the \d+ environments that are to be held out/)
  expect(await project.json<Evaluated>(['eval', '-r', '1', '--run', run, '--split', 'all', ...wider])).toMatchObject({
    status: 'done',
  })
})

test('eval plays the untrained policy only when it is asked to', async () => {
  const { weights } = await project.json<Evaluated>(['eval', '-r', '1', '--base', ...wider])
  expect(weights).toMatch(/untrained$/)
})

test('eval refuses to judge on environments that nobody holds out, and leaves no run behind', async () => {
  const none = ['--set', 'evaluation.heldOutShare=0', '--set', 'output.directory=unheld']
  const error = await project.failure(['eval', '-r', '1', '--base', ...none], 2)
  expect(error).toMatchObject({
    code: 'RLENV_USAGE',
    message: 'none of 8 environments is held out from training (evaluation.heldOutShare 0)',
  })
  expect(existsSync(project.path('unheld'))).toBe(false)
  expect(await project.json(['eval', '-r', '1', '--base', '--split', 'all', ...none])).toMatchObject({ status: 'done' })
})

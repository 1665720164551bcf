import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Project } from './project.ts'

const project = new Project()
afterAll(() => project.remove())

const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc')
const few = ['--set', 'evaluation.rolloutsPerTask=2', '--set', 'synthesis.tasksPerEnvironment=6']

/** One command after the other, as someone does who has read no source. */
test('a newcomer comes from an empty folder to a trained policy', { timeout: 600_000 }, async () => {
  const says = async (args: readonly string[], ...expected: readonly RegExp[]): Promise<string> => {
    const { code, stdout, stderr } = await project.rlenv(...args)
    expect([code, args, stderr]).toEqual([0, args, expect.not.stringContaining('✖')])
    for (const pattern of expected) expect(stdout).toMatch(pattern)
    return stdout
  }
  await says(['init', '--environments', '6', '--seed', '3'], /wrote rlenv\.config\.ts/, /next: .*rlenv synth/)
  const checked = await project.run(process.execPath, [compiler, '--noEmit', '-p', 'tsconfig.json'])
  expect(checked).toMatchObject({ code: 0, stdout: '' })
  const again = await project.failure(['init'], 2)
  expect(again.fix).toContain('--force')

  await says(
    ['config'],
    /synthesis\.environments +6 +arena/,
    /seed +3 +rlenv\.config\.ts/,
    /tasksPerStep \d+ × rolloutsPerTask \d+ = \d+/,
  )
  await says(['config', '--hooks'], /rewardShaper +chain +@rlenv\/shaper-ternary \[arena\]/)
  await says(['doctor'], /✔ +node/, /✔ +sqlite/, /✔ +configuration/)
  await says(['synth', '--dry-run'], /would synthesise 6 environments/)
  await says(['synth', ...few], /6 of 6 environments with \d+ tasks/, /bundles in environments/)
  await says(['validate'], /6 of 6 environments are valid/)

  const [, first = ''] = (await says(['inspect'], /environment +scenario +tools +tasks/)).split('\n')
  const id = first.split(' ')[0] ?? ''
  const overview = await says(['inspect', id], /tool/i, /table/i, /task/i)
  const { tools, tasks, database } = await project.json<{
    tools: { name: string }[]
    tasks: { id: string; instruction: string }[]
    database: { schema: string }
  }>(['inspect', id])
  const [tool, task] = [tools[0]?.name ?? '', tasks[0]]
  const table = /CREATE TABLE "?(\w+)"?/.exec(database.schema)?.[1] ?? ''
  for (const part of [tool, table]) expect(overview).toContain(part)
  expect(await says(['inspect', id, '--tool', tool])).toContain(tool)
  expect((await says(['inspect', id, '--table', table, '--limit', '3'])).trimEnd().split('\n').length).toBeLessThan(10)
  expect(await says(['inspect', id, '--task', task?.id ?? ''])).toContain(task?.instruction)

  const steps = ['--set', 'training.steps=2', '--set', 'training.tasksPerStep=4', '--set', 'training.rolloutsPerTask=4']
  await says(['train', '--dry-run', ...few, ...steps], /2 steps of 16 rollouts/)
  await says(
    ['train', ...few, ...steps],
    /held-out success/,
    /success, sampled/,
    /success, greedy/,
    /run in outputs\/train\//,
  )
  await says(['eval', ...few, '--breakdown'], /after 2 steps/, /pass@1|success/, /run in outputs\/eval\//)
  await says(['eval', ...few, '--base'], /untrained/)
  await says(['rollout', task?.id ?? '', ...few], new RegExp(id), /run in outputs\/rollout\//)
})

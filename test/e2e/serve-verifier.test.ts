import { readFileSync } from 'node:fs'
import { readBundles } from 'rlenv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostileConfig } from './hostile-world.ts'
import { Project } from './project.ts'
import { type ServedCommand, whileServing } from './served-command.ts'

const project = new Project({ 'rlenv.config.mjs': hostileConfig })
const settings = ['environments=1', 'tasksPerEnvironment=4', 'minTasksPerEnvironment=4']
const small = settings.flatMap((setting) => ['--set', `synthesis.${setting}`])
const bundled = ['--bundle', 'environments', '--openenv', 'off']
beforeAll(() => project.json(['synth', '--out', 'environments', ...small]))
afterAll(() => project.remove())

async function firstTask() {
  const [environment] = await readBundles(project.path('environments'))
  const [task] = environment?.tasks ?? []
  if (environment === undefined || task === undefined) throw new Error('nothing was synthesised')
  return { environmentId: environment.id, taskId: task.id, calls: task.gold.calls }
}

async function opened({ control }: ServedCommand): Promise<string> {
  const { environmentId, taskId } = await firstTask()
  const session = await control('POST', '/sessions', { environmentId, taskId })
  return (session as { handle: string }).handle
}

const verdictOn = ({ control }: ServedCommand, handle: string, answer: string) =>
  control('POST', `/sessions/${handle}/verify`, { answer })

/** What is said of a session that did everything its task asks for. */
async function solved(served: ServedCommand, handle: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  for (const { tool, arguments: args } of (await firstTask()).calls) {
    const params = { name: tool, arguments: args }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    await (await fetch(`${served.url}/mcp/${handle}`, { method: 'POST', headers, body })).text()
  }
  return verdictOn(served, handle, 'Done.')
}

const workersOf = async ({ url }: ServedCommand) =>
  ((await (await fetch(`${url}/health`)).json()) as { workers: unknown }).workers

const unscored = (reason: string) => ({ verdict: { kind: 'unscored', reason: expect.stringContaining(reason) } })
const passed = { verdict: { kind: 'passed', passed: true } }

test('a verifier that hangs costs its worker after --verifier-timeout, says so, and other sessions go on', async () => {
  await whileServing(project, [...bundled, '--workers', '2', '--verifier-timeout', '1'], async (served) => {
    // The third shares a process with the first, because each goes where there are fewest.
    const [hung, other, neighbour] = [await opened(served), await opened(served), await opened(served)]
    const hanging = verdictOn(served, hung, 'hang')
    const beside = verdictOn(served, neighbour, 'Done.')
    expect(await solved(served, other)).toMatchObject(passed)
    const lost = 'did not come back within 1000 ms'
    expect(await hanging).toMatchObject(unscored(`the verifier ${lost} and its process was ended; the world is lost`))
    expect(await beside).toMatchObject(unscored(`because the verifier of another session ${lost}`))
    expect(await workersOf(served)).toMatchObject({ size: 2, restarts: 1 })
    expect(await served.control('POST', `/sessions/${hung}/reset`)).toMatchObject({ reset: true })
    expect(await solved(served, hung)).toMatchObject(passed)
  })
})

test.each(['0', '1'])('with %s workers a verifier that never answers costs the verdict alone', async (workers) => {
  await whileServing(project, [...bundled, '--workers', workers, '--verifier-timeout', '1'], async (served) => {
    const handle = await opened(served)
    expect(await verdictOn(served, handle, 'never')).toMatchObject(unscored('no answer within its time limit'))
    expect(await solved(served, handle)).toMatchObject(passed)
    if (workers === '1') expect(await workersOf(served)).toMatchObject({ ready: 1, restarts: 0 })
  })
})

test('with workers the world is built in each of them and not in the server', async () => {
  const notes = project.path('worlds')
  const variables = { HOSTILE_WORLDS: notes }
  const builders = () => readFileSync(notes, 'utf8').trim().split('\n').map(Number)
  await whileServing(
    project,
    [...bundled, '--workers', '2'],
    async ({ pid }) => {
      expect(new Set(builders()).size).toBe(2)
      expect(builders()).not.toContain(pid)
    },
    variables,
  )
})

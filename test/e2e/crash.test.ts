import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { treeOf } from './file-tree.ts'
import { Project } from './project.ts'

/** Replay, adaptive sampling and collection ahead of the learner, in a run of a second. */
const config = `import { arena } from '@rlenv/preset-arena'
import { defineConfig, definePlugin } from 'rlenv'
import { z } from 'zod'

const counted = new Set(['rollout:end', 'evaluation:start', 'evaluation:end', 'step:end', 'checkpoint:saved'])
let events = 0

export default defineConfig({
  extends: arena({ environments: 4, tasksPerEnvironment: 5 }),
  plugins: [
    definePlugin({
      name: 'crash',
      options: z.strictObject({}),
      setup: () => ({
        watch: ({ type }) => {
          if (counted.has(type)) events += 1
          if (type === 'run:end') console.error('events: ' + events)
          if (events === Number(process.env.CRASH_AT)) process.kill(process.pid, 'SIGKILL')
        },
      }),
    })(),
  ],
  training: { steps: 3, tasksPerStep: 2, rolloutsPerTask: 2, optimizerStepsPerStep: 2, maxRefills: 1, checkpointEverySteps: 1 },
  evaluation: { heldOutShare: 0.25, rolloutsPerTask: 1, maxTasks: 1, greedy: false },
  rollout: { maxTurns: 6 },
  seed: 5,
})
`

const project = new Project({ 'rlenv.config.ts': config })
/** A second folder, so that two runs are killed at a time. */
const other = new Project({ 'rlenv.config.ts': config })
let straight: ReturnType<typeof resultsOf>
let total = 0

/** What a run must end with, however often it was killed: its results, and everything that its last checkpoint holds. */
function resultsOf(directory: string) {
  const { directory: _own, ...summary } = JSON.parse(readFileSync(`${directory}/summary.json`, 'utf8'))
  const kept = /^(rollouts|evaluations|checkpoints\/step_3)\/|^metrics\.jsonl$/
  return { summary, files: treeOf(directory, (path) => kept.test(path)) }
}

beforeAll(async () => {
  const ended = await project.rlenv('train')
  expect(ended.code).toBe(0)
  total = Number(/events: (\d+)/.exec(ended.stderr)?.[1])
  straight = resultsOf(project.runDirectories().at(-1) ?? '')
})
afterAll(() => {
  project.remove()
  other.remove()
})

/** Kills a run at an event, resumes it and gives what it ended with. */
async function resumed(place: Project, at: number) {
  const killed = await place.run('sh', ['-c', '$RLENV train'], { CRASH_AT: String(at) })
  expect(killed.code, `killed at event ${at}: ${killed.stderr}`).not.toBe(0)
  return resultsOf((await place.json<{ directory: string }>(['resume'])).directory)
}

describe('a training run that is killed', () => {
  test('at any recorded event ends like one that was not, once it is resumed', { timeout: 600_000 }, async () => {
    expect(total).toBeGreaterThan(20)
    const killedIn = async (place: Project, first: number) => {
      for (let at = first; at < total; at += 2) {
        expect(await resumed(place, at), `killed at event ${at} of ${total}`).toEqual(straight)
      }
    }
    await Promise.all([killedIn(project, 1), killedIn(other, 2)])
  })

  test('and was resumed to its end leaves nothing to resume', async () => {
    expect(await project.failure(['resume'], 2)).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
  })

  test('goes on with the settings that it was begun with', async () => {
    const first = ['train', '--steps', '2', '--seed', '9']
    await project.run('sh', ['-c', `$RLENV ${first.join(' ')}`], { CRASH_AT: '9' })
    expect(await project.json(['resume'])).toMatchObject({ status: 'done', steps: 2 })
  })

  test('is refused when its configuration has changed, and goes on when that is forced', async () => {
    await project.run('sh', ['-c', '$RLENV train --seed 21'], { CRASH_AT: '14' })
    project.write('rlenv.config.ts', config.replace('tasksPerStep: 2', 'tasksPerStep: 3'))
    const refused = await project.failure(['resume'], 2)
    expect(refused).toMatchObject({ code: 'RLENV_RESUME_REFUSED' })
    expect(refused.message).toContain('training.tasksPerStep was 2 and is 3')
    expect(await project.json(['resume', '--force'])).toMatchObject({ status: 'done', steps: 3 })
  })
})

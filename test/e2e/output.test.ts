import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Failure, Project, smallConfig } from './project.ts'

const project = new Project({ 'rlenv.config.ts': smallConfig(), 'broken.config.ts': 'export default { seeed: 1 }' })
const oneStep = ['--steps', '1']

beforeAll(async () => {
  await project.json(['synth'])
  await project.json(['train', ...oneStep])
})
afterAll(() => project.remove())

/** Control characters that only a terminal understands: carriage return, escape, backspace. */
const control = new RegExp(`[${String.fromCharCode(8, 13, 27)}]`)

const commands: readonly (readonly string[])[] = [
  ['init', 'written', '--preset', 'awm', '--environments', '3'],
  ['config'],
  ['config', '--hooks'],
  ['doctor'],
  ['synth'],
  ['synth', '--dry-run'],
  ['validate'],
  ['inspect'],
  ['train', ...oneStep],
  ['train', '--dry-run'],
  ['eval', '-r', '1'],
  ['rollout', '-n', '1'],
  ['train', '--resume', '--steps', '2'],
  ['list'],
]

describe('with --json, stdout is one document from its first byte, and stderr needs no terminal', () => {
  test.each(commands.map((args) => [args.join(' '), args] as const))('rlenv %s', async (_name, args) => {
    const { code, stdout, stderr } = await project.rlenv(...args, '--json')
    expect([code, stderr.includes('✖')]).toEqual([0, false])
    expect(stdout).toMatch(/^[[{]/)
    expect(JSON.parse(stdout)).toBeTypeOf('object')
    expect(stdout.trimEnd()).not.toMatch(control)
    expect(stderr).not.toMatch(control)
    expect(stderr).not.toMatch(/Warning|MODULE_NOT_FOUND/)
  })
  test.each([
    ['config', ['config', '-c', 'broken.config.ts']],
    ['synth', ['synth', '-c', 'broken.config.ts']],
    ['validate', ['validate', '-c', 'broken.config.ts']],
    ['inspect', ['inspect', 'nowhere']],
    ['train', ['train', '-c', 'broken.config.ts']],
    ['eval', ['eval', '-c', 'broken.config.ts']],
    ['rollout', ['rollout', '-c', 'broken.config.ts']],
    ['resume', ['resume', '-c', 'broken.config.ts']],
    ['list', ['list', '-c', 'broken.config.ts']],
    ['init', ['init', '--preset', 'nowhere']],
  ])('rlenv %s, when it fails', async (_name, args) => {
    const { code, stdout } = await project.rlenv(...args, '--json')
    expect(code).toBe(2)
    const { status, error } = JSON.parse(stdout) as Failure
    expect([status, error.code]).toEqual(['failed', expect.stringMatching(/^RLENV_/)])
  })
  test('rlenv doctor, which reports a broken configuration instead of failing at it', async () => {
    const document = await project.json(['doctor', '-c', 'broken.config.ts'], 2)
    expect(document).toMatchObject({
      status: 'failed',
      checks: expect.arrayContaining([expect.objectContaining({ name: 'configuration', status: 'failed' })]),
    })
  })
  test('rlenv config, whatever the configuration itself prints', async () => {
    project.write(
      'loud.config.ts',
      `console.log('hello from the configuration')
      process.stdout.write('{')
      process.on('exit', () => console.log('a last word from the configuration'))
      ${smallConfig()}`,
    )
    const { code, stdout, stderr } = await project.rlenv('config', '-c', 'loud.config.ts', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveProperty('config')
    expect(stderr).toContain('hello from the configuration')
    expect(stderr).toContain('a last word from the configuration')
  })
  test('an unknown command, with the one that it is near to', async () => {
    const error = await project.failure(['trian'], 2)
    expect(error).toMatchObject({ status: 'failed', code: 'RLENV_USAGE' })
    expect(error.fix).toContain('train')
  })
})

describe('without a terminal', () => {
  test('progress is plain lines, few of them, on stderr; results are on stdout', async () => {
    const steps = 30
    const started = performance.now()
    const { code, stdout, stderr } = await project.rlenv('train', '--steps', String(steps))
    const seconds = (performance.now() - started) / 1000
    expect(code).toBe(0)
    expect(stdout).toContain('held-out success')
    expect(stdout).not.toContain(`steps ${steps}/${steps}`)
    expect(stderr).toContain(`steps ${steps}/${steps}`)
    expect(stdout + stderr).not.toMatch(control)
    const progress = stderr.split('\n').filter((line) => /^(steps|environments|evaluation rollouts) /.test(line))
    // First and last of each of four activities, and one line in five seconds between them.
    expect(progress.length).toBeLessThanOrEqual(4 * 2 + seconds / 5)
  })
  test('a log file of stderr reads as lines', async () => {
    const { code } = await project.run('/bin/sh', ['-c', '$RLENV synth >result.txt 2>log.txt'])
    expect(code).toBe(0)
    expect(project.read('log.txt')).not.toMatch(control)
    expect(project.read('result.txt')).toContain('bundles in environments')
  })
  test('a document goes through a pipe', async () => {
    const parse = `${JSON.stringify(process.execPath)} -e 'let t = ""; process.stdin.on("data", (d) => { t += d }).on("end", () => console.log(JSON.parse(t).status))'`
    const { stdout } = await project.run('/bin/sh', ['-c', `$RLENV eval -r 1 --json 2>/dev/null | ${parse}`])
    expect(stdout).toBe('done\n')
  })
  test('what stands on standard input is nobody’s argument', async () => {
    const { code, stderr } = await project.run('/bin/sh', ['-c', 'echo nobody | $RLENV eval -r 1'])
    expect(stderr).not.toContain('nobody')
    expect(code).toBe(0)
    const listed = await project.run('/bin/sh', ['-c', 'echo nobody | $RLENV inspect --json'])
    expect(JSON.parse(listed.stdout)).toHaveProperty('0.id')
  })
  test('a reader that has had enough ends nothing in an error', async () => {
    const { stdout, stderr } = await project.run('/bin/sh', ['-c', '$RLENV config | head -1'])
    expect(stdout).toMatch(/^setting +value +set by\n$/)
    expect(stderr).not.toContain('EPIPE')
  })
})

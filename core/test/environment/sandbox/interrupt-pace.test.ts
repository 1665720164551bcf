import { beforeEach, describe, expect, test } from 'vitest'
import { InterruptPace } from '../../../src/environment/sandbox/interrupt-pace.ts'
import { loadSandbox, sandboxModule } from '../../../src/environment/sandbox/quickjs-module.ts'

/** How often the engine asks while a script runs; `pace` is what it is told each time. */
function asked(pace: (pace: InterruptPace) => void, script = 'for (let i = 0; i < 100000; i++);'): number {
  const { quickjs, memory } = sandboxModule()
  const runtime = quickjs.newRuntime()
  const context = runtime.newContext()
  const own = new InterruptPace(memory, context)
  let count = 0
  runtime.setInterruptHandler(() => {
    count++
    own.asked()
    pace(own)
    return false
  })
  context.unwrapResult(context.evalCode(script)).dispose()
  context.dispose()
  runtime.dispose()
  return count
}

describe('the pace at which a script is asked about its deadline', () => {
  beforeEach(loadSandbox)

  test('is the engine’s own until it is set', () => {
    const count = asked(() => {})
    expect(count).toBeGreaterThanOrEqual(10)
    expect(count).toBeLessThanOrEqual(30)
  })

  test('can be ten times that, and every turn', () => {
    expect(asked((pace) => pace.soon())).toBeGreaterThanOrEqual(90)
    expect(asked((pace) => pace.atOnce())).toBeGreaterThanOrEqual(90_000)
  })

  test('holds in memory that grows meanwhile', () => {
    const growing =
      'const all = []; for (let i = 0; i < 100000; i++) if (i % 10000 === 0) all.push(new Uint8Array(4e6))'
    expect(asked((pace) => pace.soon(), growing)).toBeGreaterThanOrEqual(90)
  })
})

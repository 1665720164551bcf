import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PolicyRequest } from '../../src/hooks/roles.ts'
import { messagesSeenAt } from '../../src/rollout/history-window.ts'
import { type ScriptedTurn, scriptedPolicy } from '../../src/testing/scripted-policy.ts'
import type { Message } from '../../src/vocabulary/message.ts'
import { play } from './play.ts'

const add = { tool: 'add', arguments: { by: 1 } }
const cut: ScriptedTurn = { cut: { role: 'assistant', content: 'I was' } }
const turns = fc.array(fc.constantFrom<ScriptedTurn>(add, [add, add], [add, add, add], cut), { maxLength: 10 })

describe('the history window', () => {
  test('recorded at each turn is exactly what the policy saw there', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.option(fc.nat(4)), fc.boolean(), async (script, historyTurns, hasSystem) => {
        const seen: (readonly Message[])[] = []
        const policy = scriptedPolicy(({ messages }: PolicyRequest, turn) => {
          seen.push([...messages])
          return script[turn] ?? 'Done.'
        })
        const options = { historyTurns, maxCutReplies: 20, systemPrompt: hasSystem ? 'Be brief.' : null }
        const { trajectory } = await play({ policy, options, limits: { maxTurns: 20 } })
        expect(seen).toHaveLength(script.length + 1)
        for (const turn of trajectory.turns) {
          expect(messagesSeenAt(trajectory.messages, trajectory.turns, turn)).toEqual(seen[turn.index])
        }
      }),
      { numRuns: 60 },
    )
  })

  test('never holds more than the head, the first turn and so many turns, whole', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(3), async (script, historyTurns) => {
        const policy = scriptedPolicy((_request, turn) => script[turn] ?? 'Done.')
        const options = { historyTurns, maxCutReplies: 20 }
        const { trajectory } = await play({ policy, options, limits: { maxTurns: 20 } })
        for (const turn of trajectory.turns) {
          const seen = messagesSeenAt(trajectory.messages, trajectory.turns, turn)
          expect(seen.slice(0, 2)).toEqual(trajectory.messages.slice(0, 2))
          const assistants = seen.filter(({ role }) => role === 'assistant').length
          expect(assistants).toBe(Math.min(turn.index, 1 + historyTurns))
        }
      }),
      { numRuns: 60 },
    )
  })
})

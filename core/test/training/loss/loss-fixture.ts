import { readFileSync } from 'node:fs'

interface Sequence {
  readonly A: number
  readonly new: readonly number[]
  readonly old: readonly number[]
  readonly mask: readonly number[]
}

interface Averages {
  readonly sequences: readonly Sequence[]
  readonly expect: { readonly sequence_mean: number; readonly token_mean: number; readonly constant_8: number }
}

interface ClipTable {
  readonly low: number
  readonly high: number
  readonly tokens: readonly {
    readonly ratio: number
    readonly A: number
    readonly loss: number
    readonly with_dual_clip_3?: number
  }[]
}

interface KlTable {
  readonly tokens: readonly { readonly policy: number; readonly ref: number; readonly k3: number }[]
}

const { cases } = JSON.parse(readFileSync(new URL('./fixtures/loss-small.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly [Averages, ClipTable, { readonly sequences: readonly Sequence[] }, unknown, KlTable]
}

/** Hand-worked numbers of the loss, by what they show. */
export const lossFixture = { averages: cases[0], clip: cases[1], allMasked: cases[2], kl: cases[4] } as const

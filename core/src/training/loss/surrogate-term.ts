export interface SurrogateOptions {
  readonly objective: 'clip' | 'cispo'
  /** The ratio's bounds are 1 − low and 1 + high. */
  readonly clip: { readonly low: number; readonly high: number }
  readonly dualClip: number | null
}

/** One trained action. */
export interface SurrogateAction {
  /** Nats. */
  readonly logProb: number
  /** The value of `logProb` without its gradient. */
  readonly held: number
  /** Log of the ratio at `held`; the action's own, or its sequence's. */
  readonly heldLogRatio: number
  readonly advantage: number
}

export interface SurrogateTerm {
  readonly value: number
  /** ∂value/∂logProb. */
  readonly slope: number
  readonly ratio: number
  /** Whether a bound of the ratio changed value or slope. */
  readonly clipped: boolean
}

/** Beyond this log-ratio, in nats, the ratio is held and passes no gradient, so that no action makes a step infinite. */
const largestLogRatio = 20

/** One action's term of the minimised surrogate, and its slope; see `policyLoss` for the formulas. */
export function surrogateTerm(action: SurrogateAction, options: SurrogateOptions): SurrogateTerm {
  return options.objective === 'cispo' ? cispoTerm(action, options) : clipTerm(action, options)
}

function clipTerm(
  { logProb, held, heldLogRatio, advantage }: SurrogateAction,
  { clip, dualClip }: SurrogateOptions,
): SurrogateTerm {
  const logRatio = logProb === held ? heldLogRatio : heldLogRatio + (logProb - held)
  const bounded = boundedLogRatio(logRatio)
  const ratio = Math.exp(bounded)
  if (advantage >= 0) {
    const clipped = advantage > 0 && ratio > 1 + clip.high
    return clipped
      ? { value: -(1 + clip.high) * advantage, slope: 0, ratio, clipped }
      : { value: -ratio * advantage, slope: bounded === logRatio ? -ratio * advantage : 0, ratio, clipped }
  }
  if (ratio < 1 - clip.low) return { value: -(1 - clip.low) * advantage, slope: 0, ratio, clipped: true }
  if (dualClip !== null && ratio > dualClip) return { value: -dualClip * advantage, slope: 0, ratio, clipped: true }
  return { value: -ratio * advantage, slope: bounded === logRatio ? -ratio * advantage : 0, ratio, clipped: false }
}

/** The bounded ratio is a weight without gradient, so that no action drops out. */
function cispoTerm({ logProb, heldLogRatio, advantage }: SurrogateAction, { clip }: SurrogateOptions): SurrogateTerm {
  const ratio = Math.exp(boundedLogRatio(heldLogRatio))
  const weight = Math.min(Math.max(ratio, 1 - clip.low), 1 + clip.high)
  const slope = -weight * advantage
  return { value: slope * logProb, slope, ratio, clipped: advantage !== 0 && weight !== ratio }
}

function boundedLogRatio(logRatio: number): number {
  return Math.min(Math.max(logRatio, -largestLogRatio), largestLogRatio)
}

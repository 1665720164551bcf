/** What `train` and `resume` print with `--json`, as far as tests read it. */
export interface Ended {
  readonly status: string
  readonly finishedSteps: number
  readonly directory: string
}

/** One run as `list --json` prints it, as far as tests read it. */
export interface Listed {
  readonly directory: string
  readonly kind: string
  readonly status: string
  readonly starts: number
  readonly seed: number
  readonly steps: { readonly finished: number; readonly wanted: number } | null
  readonly success: number | null
}

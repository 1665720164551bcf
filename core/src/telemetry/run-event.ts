import type { JudgedTrajectory } from '../vocabulary/trajectory.ts'

/** Everything a run announces while it goes on, in typed form. `watch` plugins and the progress display read these. */
export type RunEvent =
  | { readonly type: 'run:start'; readonly runId: string; readonly command: string; readonly directory: string }
  | { readonly type: 'run:end'; readonly runId: string; readonly status: RunStatus }
  /** A synthesis stage of one environment ended; `cached` when nothing had to be done. */
  | {
      readonly type: 'stage:end'
      readonly stage: string
      readonly environmentId: string | null
      readonly cached: boolean
      readonly attempts: number
      readonly durationMs: number
    }
  /** One environment left synthesis, through the gate or not. */
  | {
      readonly type: 'environment:end'
      readonly environmentId: string
      readonly accepted: boolean
      readonly tasks: number
      readonly reason: string | null
      readonly done: number
      readonly total: number
    }
  | { readonly type: 'rollout:end'; readonly judged: JudgedTrajectory; readonly purpose: RolloutPurpose }
  | {
      readonly type: 'step:end'
      /** 0-based. */
      readonly step: number
      readonly steps: number
      readonly policyVersion: number
      readonly metrics: Readonly<Record<string, number>>
    }
  /** So many rollouts of purpose `eval` or `rollout` follow. */
  | { readonly type: 'evaluation:start'; readonly step: number | null; readonly rollouts: number }
  | { readonly type: 'evaluation:end'; readonly step: number; readonly metrics: Readonly<Record<string, number>> }
  | { readonly type: 'checkpoint:saved'; readonly step: number; readonly directory: string }
  | { readonly type: 'warning'; readonly message: string; readonly plugin: string | null; readonly hook: string | null }
  /** Something waits longer than its progress deadline. */
  | {
      readonly type: 'waiting'
      readonly waiter: string
      /** Milliseconds since 1970. */
      readonly since: number
      readonly forMs: number
      /** Who waits for whom below it, as the lines of a tree. */
      readonly graph?: readonly string[]
    }

export type RunStatus = 'done' | 'failed' | 'interrupted'

export type RolloutPurpose = 'train' | 'eval' | 'rollout' | 'gate'

/** Takes an event; must not throw and must not keep the run waiting. */
export type EventSink = (event: RunEvent) => void

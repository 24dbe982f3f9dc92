import type { CommittedCheckpoint } from '@headrace/catalog'
import { lostMs, type ProcessEnd, type ProcessPlace, type RunFacts } from '../presence/process-record.ts'

export const connectorStates = [
  'running',
  'catching up',
  'behind',
  'stalled',
  'retrying',
  'stopping',
  'stopped',
  'ended',
  'failed',
  'lost',
  'silent',
  'replaced',
  'not run',
] as const
export type ConnectorState = (typeof connectorStates)[number]

export interface SeenRun {
  readonly process: ProcessPlace & RunFacts & { readonly ended?: ProcessEnd }
  readonly seen: number
}

export interface StateOptions {
  readonly run: SeenRun | undefined
  readonly checkpoint: CommittedCheckpoint | undefined
  /** Whether all its topics have a successor. */
  readonly isReplaced: boolean
  readonly now: number
}

/** In units of the source. A chain that is followed at its head is a few blocks behind it at times. */
const smallLag = 10
const largeLag = 100
export const stalledMs = 300_000
export const silentMs = 600_000

export function connectorState({ run, checkpoint, isReplaced, now }: StateOptions): ConnectorState {
  if (run && isAlive(run, now)) return runState(run, checkpoint, now)
  if (isReplaced) return 'replaced'
  if (run) return run.process.ended?.reason ?? 'lost'
  if (!checkpoint) return 'not run'
  return now - checkpoint.time > silentMs ? 'silent' : 'running'
}

export function isAlive({ process, seen }: SeenRun, now: number): boolean {
  return !process.ended && now - seen <= lostMs
}

function runState(
  { process, seen }: SeenRun,
  checkpoint: CommittedCheckpoint | undefined,
  now: number,
): ConnectorState {
  const { state, earlierLag } = process
  if (state !== 'running') return state
  const lag = lagOf(newestSource({ process, seen }, checkpoint)) ?? 0
  const quietMs = now - Math.max(checkpoint?.time ?? 0, process.started)
  if (lag > 0 && quietMs > stalledMs) return 'stalled'
  if (lag > largeLag && earlierLag !== undefined && lag > earlierLag) return 'behind'
  return lag > smallLag ? 'catching up' : 'running'
}

export function lagOf(source: RunFacts['source'] | undefined): number | undefined {
  return source && Math.max(0, source.head - source.position)
}

/** A commit may be newer than the last report of the run, and the other way round. */
export function newestSource(
  run: SeenRun | undefined,
  checkpoint: CommittedCheckpoint | undefined,
): RunFacts['source'] | undefined {
  const isCommitNewer = checkpoint !== undefined && checkpoint.time > (run?.seen ?? 0)
  return isCommitNewer ? (checkpoint.source ?? run?.process.source) : (run?.process.source ?? checkpoint?.source)
}

import type { ConnectorState } from '../../service/types.ts'

export interface Health {
  readonly level: 'good' | 'warn' | 'bad' | 'unknown'
  readonly text: string
}

/** A connector that is behind commits what it has read. One that does not is stuck. In ms. */
const lateAfterMs = 60_000

export function isLate({ source, lastCommit }: ConnectorState, now: number): boolean {
  return (source?.lag ?? 0) > 0 && lastCommit !== null && now - Date.parse(lastCommit) > lateAfterMs
}

export function healthOf(state: ConnectorState, now: number): Health {
  const { source, unit, endpoints } = state
  if (unit === null) return { level: 'unknown', text: 'nothing published yet' }
  if (isLate(state, now)) return { level: 'bad', text: 'no commit for a minute' }
  if (endpoints.length > 0 && endpoints.every(({ up }) => !up)) return { level: 'bad', text: 'no endpoint answers' }
  if (!source) return { level: 'unknown', text: 'does not report its source' }
  return source.lag > 0 ? { level: 'warn', text: 'behind its source' } : { level: 'good', text: 'at the head' }
}

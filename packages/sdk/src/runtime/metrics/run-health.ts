import type { EndpointHealth } from '../../source/fetch/endpoint-state.ts'
import { lagOf, type RunMeter } from './run-meter.ts'

/** How a run is, as `/health` answers it. */
export interface RunHealth {
  /**
   * `starting`: it does not own its topics yet. `running`. `retrying`: the source or the queue has failed, and a next
   * attempt is to come; also while no endpoint of the source answers. `stopping`: it was asked to end.
   */
  readonly state: 'starting' | 'running' | 'retrying' | 'stopping'
  /** RFC 3339. */
  readonly started: string
  /** Ms since a transaction last became visible; `null` before the first of this run. */
  readonly lastCommitAgeMs: number | null
  /** How far the source is behind its head, in its own unit; `null` where it does not tell. */
  readonly lag: number | null
}

export function runHealth(meter: RunMeter, signal: AbortSignal): RunHealth {
  const { startedAt, lastCommitAt } = meter
  return {
    state: stateOf(meter, signal),
    started: new Date(startedAt).toISOString(),
    lastCommitAgeMs: lastCommitAt === undefined ? null : Date.now() - lastCommitAt,
    lag: lagOf(meter) ?? null,
  }
}

function stateOf({ writerId, failing, endpoints }: RunMeter, signal: AbortSignal): RunHealth['state'] {
  if (signal.aborted) return 'stopping'
  if (writerId === undefined) return 'starting'
  return failing.read || failing.commit || isCutOff(endpoints()) ? 'retrying' : 'running'
}

/** To rest once is nothing: that is how an endpoint is found to be asked too much. */
function isCutOff(endpoints: readonly EndpointHealth[]): boolean {
  return endpoints.length > 0 && endpoints.every(({ state, rests }) => state === 'refused' || rests > 1)
}

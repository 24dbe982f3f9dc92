import { isObject } from '../system-topics/system-topics.ts'

/** What a run knew about its source when it committed. Only the newest checkpoint of an instance has it. */
export interface RunReport {
  /** As the source reported it with `progress`, in its own unit. */
  readonly source?: SourceReport
  /** The first `reportedEndpoints` of the source. */
  readonly endpoints: readonly EndpointReport[]
}

export interface SourceReport {
  readonly position: number
  readonly head: number
}

export interface EndpointReport {
  /** As in the metrics, so it contains no key. */
  readonly endpoint: string
  /** `false` while it is backed off from or refuses this client. */
  readonly up: boolean
}

export const reportedEndpoints = 32

/** Adds a report to an encoded checkpoint. Readers of checkpoints ignore it. */
export function addRunReport(checkpoint: Uint8Array, { source, endpoints }: RunReport): Uint8Array {
  if (!source && endpoints.length === 0) return checkpoint
  const run = JSON.stringify({ source, endpoints: endpoints.slice(0, reportedEndpoints) })
  return Buffer.concat([checkpoint.subarray(0, -1), Buffer.from(`,"run":${run}}`)])
}

/** Of an encoded checkpoint that `decodeCheckpoint` accepts. Omits what another version has written differently. */
export function readRunReport(checkpoint: Uint8Array): RunReport {
  const { run } = JSON.parse(Buffer.from(checkpoint).toString()) as Record<string, unknown>
  if (!isObject(run)) return { endpoints: [] }
  const { source, endpoints } = run
  return {
    ...(isSource(source) && { source: { position: source.position, head: source.head } }),
    endpoints: Array.isArray(endpoints)
      ? endpoints.filter(isEndpoint).map(({ endpoint, up }) => ({ endpoint, up }))
      : [],
  }
}

function isSource(value: unknown): value is SourceReport {
  return isObject(value) && Number.isFinite(value.position) && Number.isFinite(value.head)
}

function isEndpoint(value: unknown): value is EndpointReport {
  return isObject(value) && typeof value.endpoint === 'string' && typeof value.up === 'boolean'
}

import type { RunReport } from '@headrace/catalog'

/** Not one of `systemTopics`: the first process that may create it does so, and nobody needs it to run. Compacted. */
export const processesTopic = '_headrace.processes'

/** How often a process writes its record, in ms. */
export const beatMs = 30_000
/** A process whose newest record is older than this, in ms, has died, or cannot reach the queue. */
export const lostMs: number = 3 * beatMs

/** What a process of the command reports about itself, under its id. */
export type ProcessRecord = ProcessPlace & (RunFacts | GatewayFacts) & { readonly ended?: ProcessEnd }

export interface ProcessPlace {
  /** Random. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  /** In ms since the Unix epoch. */
  readonly started: number
}

/** Of `connector run` and `connector dev`. */
export interface RunFacts extends RunReport {
  readonly kind: 'run'
  readonly writer: string
  /** `retrying`: the source or the queue has failed, or no endpoint of the source answers. */
  readonly state: 'running' | 'retrying' | 'stopping'
  /** Over the last minute or less. */
  readonly perSecond: { readonly units: number; readonly records: number }
  /** About five minutes ago. */
  readonly earlierLag?: number
}

export interface GatewayFacts {
  readonly kind: 'gateway'
  readonly address: string
  readonly environment: string
  readonly state: 'serving' | 'draining'
  readonly connections: number
}

export interface ProcessEnd {
  /** `ended`: the source has ended. `stopped`: by a signal. */
  readonly reason: 'ended' | 'stopped' | 'failed'
  /** Of the error. */
  readonly code?: string
  readonly exitCode: number
}

export interface SeenProcess {
  readonly process: ProcessRecord
  /** When it wrote its newest record, by its clock, in ms since the Unix epoch. */
  readonly seen: number
}

export function encodeProcess(process: ProcessRecord): Uint8Array {
  return Buffer.from(JSON.stringify(process))
}

/** `undefined` for what another version has written differently. */
export function decodeProcess(value: Uint8Array): ProcessRecord | undefined {
  try {
    const process = JSON.parse(Buffer.from(value).toString()) as ProcessRecord
    return isPlace(process) && (isRun(process) || isGateway(process)) ? process : undefined
  } catch {
    return undefined
  }
}

type Unchecked<T> = { readonly [member in keyof T]?: unknown }

function isPlace({ id, host, pid, version, started }: Unchecked<ProcessRecord>): boolean {
  return [id, host, version].every(isText) && [pid, started].every(isNumber)
}

function isRun(process: Unchecked<RunFacts>): boolean {
  const { kind, writer, state, endpoints, perSecond, source } = process
  const rates = Object(perSecond) as Unchecked<RunFacts['perSecond']>
  const { position, head } = Object(source ?? { position: 0, head: 0 })
  return (
    kind === 'run' &&
    [writer, state].every(isText) &&
    Array.isArray(endpoints) &&
    [rates.units, rates.records, position, head].every(isNumber)
  )
}

function isGateway({ kind, address, state, connections }: Unchecked<GatewayFacts>): boolean {
  return kind === 'gateway' && isText(address) && isText(state) && isNumber(connections)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value)
}

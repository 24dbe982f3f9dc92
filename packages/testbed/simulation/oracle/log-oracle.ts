import {
  type Checkpoint,
  checkpointKey,
  checkpointPartition,
  decodeCheckpoint,
  type NextSeqs,
  readRecordHeaders,
  systemTopics,
} from '../../../catalog/src/index.ts'
import type { Header, QueueRecord } from '../../../queue/src/index.ts'
import type { LoggedBatch } from '../kafka/replica.ts'
import type { World } from '../world/world.ts'
import { attemptHeader, type RunsOracle } from './runs-oracle.ts'

/** A record of a unit. Bytes are decoded as latin1. */
export interface ExpectedRecord {
  readonly topic: string
  readonly partition: number
  readonly key: string | null
  readonly value: string | null
}

/** A unit of the source. */
export interface SourceUnit {
  readonly name: string
  /** Ordered within each partition. */
  readonly records: readonly ExpectedRecord[]
}

/** A published unit. */
export interface PublishedUnit extends SourceUnit {
  readonly unit: number
  /** Whether it has records, including reverts. */
  readonly changes: boolean
  readonly nextSeq: NextSeqs
  /** Names of the canonical units with records after it, oldest first. */
  readonly canonical: readonly string[]
}

export interface LogOracleOptions {
  readonly world: World
  readonly runs: RunsOracle
  readonly writerId: string
  readonly topics: readonly { readonly name: string; readonly partitions: number }[]
  /** The source unit of this checkpoint, if it may follow the canonical ones. A string: why not. */
  unitAt(position: unknown, canonical: readonly SourceUnit[]): SourceUnit | string
  /** Called when readers can see more. */
  onShown(): void
}

/** Compares what a connector publishes with its source, record by record. */
export interface LogOracle {
  /** Batches become visible to readers of committed records. */
  shown(topic: string, partition: number, batches: readonly LoggedBatch[]): void
  /** A reader has read a record, which must be the next visible one. Returns the number of its unit. */
  readerHas(reader: string, record: QueueRecord): number
  /** Whether a reader has read all visible records. */
  readerHasAll(reader: string): boolean
  /** Names of the canonical units, oldest first. */
  canonical(): readonly string[]
  /** Every unit with a visible checkpoint, in order. */
  published(): readonly PublishedUnit[]
  /** The newest visible checkpoint. */
  readonly checkpoint: Checkpoint | undefined
  /** Whether readers see exactly the records of the units with visible checkpoints. */
  readonly whole: boolean
  /** Seqs of the canonical records of a partition before `end`, which must be the end of a unit. */
  canonicalSeqs(topic: string, partition: number, end: number): readonly number[]
}

/** An expected or a visible record. */
interface LogRecord {
  readonly unit: number
  readonly seq: number
  readonly reverts: number | undefined
  readonly key: string | null
  readonly value: string | null
  /** Whether it is the placeholder of a message, with an error. */
  readonly isPlace: boolean
  readonly attempt: string
}

interface PartitionLog {
  readonly name: string
  readonly shown: LogRecord[]
  readonly expected: LogRecord[]
  /** The canonical records after the expected units. */
  canonical: LogRecord[]
  /** Number of records that were compared and are equal. */
  checked: number
  time: number
}

interface CanonicalUnit extends SourceUnit {
  readonly unit: number
}

export function createLogOracle(options: LogOracleOptions): LogOracle {
  const { world, runs, writerId, topics, unitAt, onShown } = options
  const logs = new Map<string, PartitionLog>()
  for (const { name, partitions } of topics)
    for (let partition = 0; partition < partitions; partition++) {
      const log: PartitionLog = {
        name: `${name}/${partition}`,
        shown: [],
        expected: [],
        canonical: [],
        checked: 0,
        time: 0,
      }
      logs.set(log.name, log)
    }
  const ownPartition = checkpointPartition(writerId)
  const published: PublishedUnit[] = []
  const newestKey = Buffer.from(checkpointKey(writerId)).toString()
  const canonical: CanonicalUnit[] = []
  let newest: Checkpoint | undefined
  let checkpoint: Checkpoint | undefined
  const read = new Map<string, number>()

  function checkpointShown({ key, value, headers }: QueueRecord): void {
    const name = Buffer.from(key!).toString()
    if (!name.startsWith(newestKey)) return
    const attempt = attemptOf(headers)
    runs.recordShown(attempt)
    const decoded = decodeCheckpoint(value!)
    if (name !== newestKey) expect(decoded, attempt)
    else if (JSON.stringify(decoded) !== JSON.stringify(newest))
      world.fail(`the newest checkpoint is of unit ${decoded.unit}, and the last unit is ${newest?.unit}`)
    else checkpoint = newest
  }

  /** Adds the records of a unit to the expected logs. */
  function expect(next: Checkpoint, attempt: string): void {
    const { unit, previous, position, final } = next
    world.note('oracle', () => `unit ${unit} after ${previous} of ${attempt}: ${JSON.stringify(position)}`)
    if (unit !== (newest?.unit ?? 0) + 1) world.fail(`unit ${unit} follows unit ${newest?.unit ?? 0}`)
    const kept = canonical.findLastIndex((one) => one.unit === previous) + 1
    if (previous !== null && kept === 0) world.fail(`unit ${unit} follows unit ${previous}, which is not canonical`)
    const reverted = canonical.splice(kept)
    const tooFar = reverted.find((one) => one.unit <= (newest?.final?.unit ?? 0))
    if (tooFar) world.fail(`unit ${unit} reverts unit ${tooFar.unit}, which is final`)
    if ((final?.unit ?? 0) < (newest?.final?.unit ?? 0)) world.fail(`unit ${unit} makes less final than was`)
    const found = unitAt(position, canonical)
    if (typeof found === 'string') {
      world.fail(`unit ${unit} of ${attempt}: ${found}`)
      return
    }
    canonical.push({ ...found, unit })
    const before = expectedCount()
    for (const log of logs.values()) expectOf(log, { unit, attempt, reverted, records: found.records })
    for (const { name, partitions } of topics)
      for (let partition = 0; partition < partitions; partition++)
        if (next.nextSeq[name]?.[partition] !== logs.get(`${name}/${partition}`)!.expected.length)
          world.fail(`the checkpoint of unit ${unit} says ${JSON.stringify(next.nextSeq)}`)
    const names = canonical.filter(({ records }) => records.length > 0).map(({ name }) => name)
    const changes = expectedCount() > before
    published.push({ ...found, unit, changes, nextSeq: next.nextSeq, canonical: names })
    newest = next
    for (const log of logs.values()) check(log)
  }

  function expectedCount(): number {
    return [...logs.values()].reduce((sum, { expected }) => sum + expected.length, 0)
  }

  function expectOf(
    log: PartitionLog,
    unit: { unit: number; attempt: string; reverted: readonly CanonicalUnit[]; records: readonly ExpectedRecord[] },
  ): void {
    const numbers = new Set(unit.reverted.map((one) => one.unit))
    const by = { unit: unit.unit, attempt: unit.attempt }
    for (const record of log.canonical.filter((one) => numbers.has(one.unit)).reverse()) {
      const { key, value, seq } = record
      log.expected.push({ ...by, seq: log.expected.length, reverts: seq, key, value, isPlace: value === null })
    }
    log.canonical = log.canonical.filter((one) => !numbers.has(one.unit))
    for (const { topic, partition, key, value } of unit.records) {
      if (`${topic}/${partition}` !== log.name) continue
      const record = { ...by, seq: log.expected.length, reverts: undefined, key, value, isPlace: value === null }
      log.expected.push(record)
      log.canonical.push(record)
    }
  }

  function check(log: PartitionLog): void {
    for (; log.checked < Math.min(log.shown.length, log.expected.length); log.checked++) {
      const shown = describe(log.shown[log.checked]!)
      const expected = describe(log.expected[log.checked]!)
      if (shown !== expected) world.fail(`${log.name} shows ${shown} where ${expected} belongs`)
    }
  }

  return {
    shown(topic, partition, batches) {
      if (topic === systemTopics.checkpoints && partition === ownPartition) {
        for (const { view } of batches) for (const record of view.records()) checkpointShown(record)
      } else if (topic === systemTopics.reorgs || topic === systemTopics.deadLetters) {
        for (const { view } of batches) for (const { headers } of view.records()) runs.recordShown(attemptOf(headers))
      }
      const log = logs.get(`${topic}/${partition}`)
      if (log) {
        for (const { view } of batches)
          for (const record of view.records()) {
            const shown = logRecord(record)
            runs.recordShown(shown.attempt)
            log.shown.push(shown)
            if (record.time < log.time) world.fail(`${log.name} goes back in time at seq ${shown.seq}`)
            log.time = record.time
          }
        check(log)
      }
      onShown()
    },
    readerHas(reader, record) {
      const log = logs.get(`${record.topic}/${record.partition}`)!
      const key = `${reader} ${log.name}`
      const place = read.get(key) ?? 0
      read.set(key, place + 1)
      const expected = log.shown[place]
      const has = logRecord(record)
      if (expected === undefined)
        world.fail(`${reader} has read ${describe(has)} of ${log.name}, which is not committed`)
      else if (describe(expected) !== describe(has))
        world.fail(`${reader} has read ${describe(has)} of ${log.name}, not ${describe(expected)}`)
      return has.unit
    },
    readerHasAll: (reader) =>
      [...logs.values()].every(({ name, shown }) => (read.get(`${reader} ${name}`) ?? 0) === shown.length),
    canonical: () => canonical.map(({ name }) => name),
    published: () => published,
    get checkpoint() {
      return checkpoint
    },
    get whole() {
      return (
        checkpoint === newest && [...logs.values()].every(({ shown, expected }) => shown.length === expected.length)
      )
    },
    canonicalSeqs(topic, partition, end) {
      const seqs: number[] = []
      for (const { seq, reverts } of logs.get(`${topic}/${partition}`)!.shown.slice(0, end)) {
        if (reverts === undefined) seqs.push(seq)
        else seqs.splice(seqs.indexOf(reverts), 1)
      }
      return seqs
    },
  }
}

function logRecord({ key, value, headers }: QueueRecord): LogRecord {
  const { unit = -1, seq = -1, reverts, error } = readRecordHeaders(headers)
  return {
    unit,
    seq,
    reverts,
    key: latin1(key),
    value: latin1(value),
    isPlace: error !== undefined,
    attempt: attemptOf(headers),
  }
}

export function attemptOf(headers: readonly Header[]): string {
  return Buffer.from(headers.find(({ key }) => key === attemptHeader)?.value ?? '').toString()
}

export function latin1(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString('latin1')
}

function describe({ unit, seq, reverts, key, value, isPlace, attempt }: LogRecord): string {
  const what = reverts === undefined ? 'append' : `revert of seq ${reverts}`
  const content = isPlace ? 'only a place' : `${JSON.stringify(key)}, ${JSON.stringify(value)}`
  return `seq ${seq} of unit ${unit} (${what}, ${content}) by ${attempt}`
}

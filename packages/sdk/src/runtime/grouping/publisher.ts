import type { Schema } from '../../connector/schema.ts'
import type { Unit } from '../../connector/unit.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import type { EncodedUnit } from '../cycle/encoded-unit.ts'

/**
 * What a group holds before the source has to wait; its last unit may exceed it. Larger groups need more memory and are
 * no faster: the engines cut batches at 256 KiB.
 */
const groupLimits = { bytes: 512 * 1024, records: 5000, units: 500 }

export interface PublisherOptions {
  encode(unit: Unit<Schema, unknown>, writer: MessageWriter): EncodedUnit
  commit(units: readonly EncodedUnit[]): Promise<void>
  onCommit(units: readonly EncodedUnit[]): void
  /** A commit has failed for good. Called once; what is thrown by the methods from then on. */
  onFailure(): void
}

/** Encodes units as they come and commits them in groups. */
export interface Publisher {
  /**
   * Takes a unit. Resolves when the next one may follow: at once, while there is room for it.
   *
   * A unit is committed alone where nothing is under way. Those that come while a commit is under way gather in a group,
   * encoded meanwhile, which is committed next.
   */
  publish(unit: Unit<Schema, unknown>): Promise<void>
  /** Resolves when every unit taken is visible to every reader. */
  settled(): Promise<void>
}

interface Group {
  readonly writer: MessageWriter
  units: EncodedUnit[]
  bytes: number
  records: number
}

export function createPublisher(options: PublisherOptions): Publisher {
  let open = createGroup()
  let spare = createGroup()
  let committing: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined

  const throwFailure = (): void => {
    if (failure) throw failure.error
  }
  const startCommit = (): void => {
    const group = open
    open = spare
    committing = options.commit(group.units).then(
      () => {
        options.onCommit(group.units)
        clear(group)
        spare = group
        committing = undefined
        if (open.units.length > 0) startCommit()
      },
      (error: unknown) => {
        failure = { error }
        committing = undefined
        options.onFailure()
      },
    )
  }

  return {
    async publish(unit) {
      throwFailure()
      add(open, options.encode(unit, open.writer))
      if (!committing) startCommit()
      else if (isFull(open)) await committing
      throwFailure()
    },
    async settled() {
      while (committing) await committing
      throwFailure()
    },
  }
}

function createGroup(): Group {
  return { writer: new MessageWriter(), units: [], bytes: 0, records: 0 }
}

function add(group: Group, unit: EncodedUnit): void {
  group.units.push(unit)
  group.bytes += unit.bytes
  group.records += unit.records.length
}

function isFull({ units, bytes, records }: Group): boolean {
  return units.length >= groupLimits.units || bytes >= groupLimits.bytes || records >= groupLimits.records
}

function clear(group: Group): void {
  group.units = []
  group.bytes = 0
  group.records = 0
  group.writer.reset()
}

import type { Schema } from '../../connector/schema.ts'
import type { Unit } from '../../connector/unit.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import type { EncodedUnit } from '../cycle/encoded-unit.ts'
import type { Revert } from '../revert/revert.ts'
import { createReplacementWait } from './replacement-wait.ts'

/**
 * What a group holds before the source has to wait; its last unit may exceed it. Larger groups need more memory and are
 * no faster: the engines cut batches at 256 KiB.
 */
const groupLimits = { bytes: 512 * 1024, records: 5000, units: 500 }

export interface PublisherOptions {
  readonly group: 'auto' | 'off'
  /** Says what a unit takes back, when everything before it is visible. */
  planRevert(revertTo: unknown): Promise<Revert>
  encode(unit: Unit<Schema, unknown>, writer: MessageWriter, revert?: Revert): EncodedUnit
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
   * encoded meanwhile, which is committed next. Where `group` is `off`, a group is one unit.
   *
   * A unit that takes others back waits for everything before it and begins a group of its own, in which what replaces
   * them gathers: as many units as are taken back, as far as they follow within half a second of each other.
   */
  publish(unit: Unit<Schema, unknown>): Promise<void>
  /** Resolves when every unit taken is visible to every reader. */
  settled(): Promise<void>
}

interface Group {
  readonly writer: MessageWriter
  units: EncodedUnit[]
  /** Of its records and dead letters. */
  bytes: number
  records: number
}

export function createPublisher(options: PublisherOptions): Publisher {
  const limits = options.group === 'off' ? { ...groupLimits, units: 1 } : groupLimits
  let open = createGroup()
  let spare = createGroup()
  let committing: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  const replacement = createReplacementWait(() => {
    if (!committing && open.units.length > 0) startCommit()
  })

  const isFull = ({ units, bytes, records }: Group): boolean =>
    units.length >= limits.units || bytes >= limits.bytes || records >= limits.records
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
  const settled = async (): Promise<void> => {
    replacement.end()
    while (committing) await committing
    throwFailure()
  }

  return {
    async publish(unit) {
      throwFailure()
      if (unit?.revertTo === undefined) {
        add(open, options.encode(unit, open.writer))
        replacement.unitFollowed()
      } else {
        await settled()
        const revert = await options.planRevert(unit.revertTo)
        const encoded = options.encode(unit, open.writer, revert)
        add(open, encoded)
        replacement.begin(encoded.records.length > 0 ? revert.units - 1 : revert.units)
      }
      if (isFull(open)) replacement.end()
      if (!committing && !replacement.waiting && open.units.length > 0) startCommit()
      else if (isFull(open)) await committing
      throwFailure()
    },
    settled,
  }
}

function createGroup(): Group {
  return { writer: new MessageWriter(), units: [], bytes: 0, records: 0 }
}

function add(group: Group, unit: EncodedUnit): void {
  group.units.push(unit)
  group.bytes += unit.bytes
  for (const { value } of unit.deadLetters) group.bytes += value?.length ?? 0
  group.records += unit.records.length
}

function clear(group: Group): void {
  group.units = []
  group.bytes = 0
  group.records = 0
  group.writer.reset()
}

import type { Context } from '@opentelemetry/api'
import type { Unit } from '../../connector/connector.ts'
import { MessageWriter } from '../../wire/message-writer.ts'
import type { UnitPlace } from '../cycle/encode-unit.ts'
import type { EncodedUnit } from '../cycle/encoded-unit.ts'
import type { Revert } from '../revert/revert.ts'

/** A commit waits for the disk or the brokers once, whatever its size. Larger groups gain little more. */
const groupLimits = { bytes: 2 * 1024 * 1024, records: 20_000, units: 500 }

export interface PublisherOptions {
  readonly group: 'auto' | 'off'
  /** Called when every earlier unit is visible. */
  planRevert(revertTo: unknown): Promise<Revert>
  encode(unit: Unit, writer: MessageWriter, place: UnitPlace): EncodedUnit
  commit(units: readonly EncodedUnit[]): Promise<void>
  onCommit(units: readonly EncodedUnit[]): void
  /** Called once, when a commit has failed. Every method then throws that error. */
  onFailure(): void
}

export interface Publisher {
  /**
   * Resolves when the next unit may follow. A unit joins the group that is committed next.
   *
   * A unit that reverts others waits for all before it and begins a group. As many replacements as units were reverted
   * join that group, if each follows within half a second.
   *
   * @param parent Of the spans of the unit, if it has no `traceparent`.
   */
  publish(unit: Unit, parent?: Context): Promise<void>
  settled(): Promise<void>
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
    async publish(unit, parent) {
      throwFailure()
      if (unit?.revertTo === undefined) {
        add(open, options.encode(unit, open.writer, { parent }))
        replacement.unitFollowed()
      } else {
        await settled()
        const revert = await options.planRevert(unit.revertTo)
        const encoded = options.encode(unit, open.writer, { revert, parent })
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

type Group = ReturnType<typeof createGroup>

function createGroup() {
  const units: EncodedUnit[] = []
  return { writer: new MessageWriter(), units, bytes: 0, records: 0 }
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

const silenceMs = 500

function createReplacementWait(onEnd: () => void) {
  let missing = 0
  let timer: NodeJS.Timeout | undefined

  function end(): void {
    if (missing === 0) return
    missing = 0
    clearTimeout(timer)
    onEnd()
  }

  function wait(units: number): void {
    missing = units
    clearTimeout(timer)
    timer = setTimeout(end, silenceMs)
  }

  return {
    get waiting() {
      return missing > 0
    },
    begin(units: number) {
      if (units > 0) wait(units)
    },
    unitFollowed() {
      if (missing === 1) end()
      else if (missing > 1) wait(missing - 1)
    },
    end,
  }
}

import type { QueueRecord } from '@headrace/queue'
import { MalformedMessageError } from '../wire/wire-reader.ts'
import { type Condition, outcomes } from './condition.ts'
import type { RecordFilter } from './record-filter.ts'
import type { RecordSource } from './record-source.ts'
import type { Operand } from './term.ts'
import { createHash, type Hash, hashOf } from './value-hash.ts'

/**
 * All filters of the readers of a topic. A filter with a condition such as `field == constant` is tested only for
 * records with that value, so a thousand of them take about as long as one.
 */
export interface FilterIndex {
  /** Does nothing if it is there. */
  add(filter: RecordFilter): void
  remove(filter: RecordFilter): void
  /** The filters that match a record, in any order. Tests each at most once. Never throws. */
  match(record: QueueRecord): readonly RecordFilter[]
}

interface Entry {
  readonly filter: RecordFilter
  readonly condition: Condition
  /** The record for which it was tested last. */
  testedFor: number
}

/** The filters for which a field must have one of some values. */
interface IndexedField {
  readonly hash: () => Hash | undefined
  readonly entries: Map<Hash, Set<Entry>>
}

export function createFilterIndex(record: RecordSource, conditionOf: (filter: RecordFilter) => Condition): FilterIndex {
  const entries = new Map<RecordFilter, Entry>()
  const fields = new Map<string, IndexedField>()
  const others = new Set<Entry>()

  function fieldOf(operand: Operand): IndexedField {
    const existing = fields.get(operand.id!)
    if (existing) return existing
    const created = { hash: createHash(operand), entries: new Map() }
    fields.set(operand.id!, created)
    return created
  }

  return {
    add(filter) {
      if (entries.has(filter)) return
      const condition = conditionOf(filter)
      const entry = { filter, condition, testedFor: -1 }
      entries.set(filter, entry)
      if (!condition.equalities) others.add(entry)
      for (const { operand, value } of condition.equalities ?? []) {
        const field = fieldOf(operand)
        const hash = hashOf(value)
        const found = field.entries.get(hash)
        if (found) found.add(entry)
        else field.entries.set(hash, new Set([entry]))
      }
    },
    remove(filter) {
      const entry = entries.get(filter)
      if (!entry) return
      entries.delete(filter)
      others.delete(entry)
      for (const { operand, value } of entry.condition.equalities ?? []) {
        const field = fieldOf(operand)
        const hash = hashOf(value)
        const found = field.entries.get(hash)
        found?.delete(entry)
        if (found?.size === 0) field.entries.delete(hash)
        if (field.entries.size === 0) fields.delete(operand.id!)
      }
    },
    match(found) {
      record.set(found)
      const { generation } = record.scope
      let matching = none
      const test = (entry: Entry) => {
        if (entry.testedFor === generation) return
        entry.testedFor = generation
        if (entry.condition.test() !== outcomes.yes) return
        if (matching === none) matching = []
        matching.push(entry.filter)
      }
      for (const field of fields.values()) {
        const candidates = candidatesIn(field)
        if (candidates) for (const entry of candidates) test(entry)
      }
      for (const entry of others) test(entry)
      record.set(undefined)
      return matching
    },
  }
}

/** Shared, because most records match nothing. */
const none: RecordFilter[] = []

/** A value that cannot be read makes no equality true. */
function candidatesIn({ hash, entries }: IndexedField): ReadonlySet<Entry> | undefined {
  try {
    const found = hash()
    return found === undefined ? undefined : entries.get(found)
  } catch (error) {
    if (error instanceof MalformedMessageError) return undefined
    throw error
  }
}

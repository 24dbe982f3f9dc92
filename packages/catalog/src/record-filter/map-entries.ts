import type { ScalarType } from '@bufbuild/protobuf'
import { ItemSource, type MessageSource } from './source.ts'
import type { ListTerm, Operand } from './term.ts'
import type { TopicTerms } from './topic-terms.ts'

export interface MapEntries {
  readonly entries: ItemSource
  readonly entry: MessageSource
  readonly key: Operand
}

/** The entries of a map, one at a time, and the key of the current one. */
export function mapEntries({ source, slot, desc, field }: ListTerm, topic: TopicTerms): MapEntries {
  const table = field.message!
  const entries = new ItemSource({ source, slot }, field, 0, topic.reader)
  const entry = topic.sourceOf({ source: entries, slot: 0, id: undefined }, table)
  const scalar = (desc as { readonly mapKey: ScalarType }).mapKey
  const key = topic.scalar(
    { source: entry, slot: entry.slotOf(0), id: undefined },
    { scalar, enum: undefined },
    table.fields[0]!,
  )
  return { entries, entry, key }
}

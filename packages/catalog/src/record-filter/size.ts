import type { Context } from './context.ts'
import { InvalidFilterError } from './invalid-filter.ts'
import { mapEntries } from './map-entries.ts'
import type { Read } from './operand.ts'
import { ItemSource, unreadable } from './source.ts'
import { type CallSyntax, showSyntax } from './syntax.ts'
import { describe, type ListTerm, type Operand, type Term } from './term.ts'

/** Characters of text, bytes, items of a list or entries of a map. */
export function sizeOperand(term: Term, syntax: CallSyntax, context: Context): Operand {
  const type = { kind: 'number', name: 'a number', nullable: false, rank: 0 } as const
  const common = { kind: 'operand', type, id: undefined } as const
  if (term.kind === 'list') return { ...common, scope: term.source.scope, read: countItems(term, context) }
  if (term.kind === 'map') return { ...common, scope: term.source.scope, read: countKeys(term, context) }
  if (term.kind === 'operand' && term.place) {
    const { read } = term
    const count = term.type.kind === 'text' ? countCharacters : (bytes: Uint8Array) => bytes.length
    return {
      ...common,
      scope: term.scope,
      read: () => {
        const value = read() as Uint8Array | null
        if (value === null) throw unreadable
        return count(value)
      },
    }
  }
  const argument = showSyntax(syntax.of ?? syntax.args[0]!)
  throw new InvalidFilterError(syntax.column, `${argument} is ${describe(term)}, which has no size.`)
}

function countItems({ source, slot, field }: ListTerm, { topic }: Context): Read {
  const items = new ItemSource({ source, slot }, field, 0, topic.reader)
  return () => {
    let count = 0
    for (items.start(); items.next(); ) count++
    return count
  }
}

/** Entries with the same key are one. */
function countKeys(map: ListTerm, context: Context): Read {
  const { entries, key } = mapEntries(map, context.topic)
  return () => {
    const keys = new Set<unknown>()
    for (entries.start(); entries.next(); ) {
      const value = key.read()!
      keys.add(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)
    }
    return keys.size
  }
}

/** In UTF-8: bytes that do not continue a character. */
function countCharacters(text: Uint8Array): number {
  let count = 0
  for (const byte of text) if ((byte & 0xc0) !== 0x80) count++
  return count
}

import type { DescField } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'

/**
 * How often a value of a field may occur, in protobuf's words. `optional` says nothing of a message or a member of a
 * oneof; that a field is a map is a matter of its type.
 */
export function cardinalityOf(field: DescField): 'singular' | 'optional' | 'repeated' {
  if (field.fieldKind === 'list') return 'repeated'
  if (field.fieldKind === 'map' || field.fieldKind === 'message' || field.oneof) return 'singular'
  return field.presence === FeatureSet_FieldPresence.EXPLICIT ? 'optional' : 'singular'
}

/** Which readers a change between two cardinalities breaks, and how. */
export function cardinalityChange(before: DescField, after: DescField): string {
  const old = cardinalityOf(before)
  const now = cardinalityOf(after)
  if (old === 'singular' && now === 'optional')
    return 'Readers of JSON would no longer find the field where it is zero, in stored records neither.'
  if (old === 'optional' && now === 'singular')
    return 'Readers of JSON would find a zero where the field was absent, in stored records too.'
  const [was, is] = now === 'repeated' ? ['one value', 'a list'] : ['a list', 'one value']
  return (
    `Readers of JSON would get ${is} where they got ${was}, in stored records too, and readers with generated code ` +
    'would read one value at most.'
  )
}

import { isDeepStrictEqual } from 'node:util'
import type { SinkTopic, StoredRow } from '../destination/destination.ts'
import { cutToMicroseconds } from '../field/cut-time.ts'
import { fieldReader } from '../field/read-field.ts'
import type { FieldType } from '../field/topic-fields.ts'

type Value = StoredRow['value']

/** The name of the first field that differs; `value` without fields. `undefined`: they are equal. */
export function differingField({ fields }: SinkTopic, expected: Value, found: Value): string | undefined {
  if (!fields) return isEqual(expected, found, 'json') ? undefined : 'value'
  return fields.find(({ name, type, absent }) => {
    const read = fieldReader(name)
    const stored = found && !Object.hasOwn(found, name) ? absent : read(found)
    return !isEqual(read(expected), stored, type)
  })?.name
}

function isEqual(expected: unknown, found: unknown, type: FieldType): boolean {
  if (expected === found) return true
  if (expected == null || found == null) return expected == null && found == null
  if (type === 'timestamp') return cutToMicroseconds(expected as string) === found
  // In JSON, -0 is 0.
  return type === 'json' && isSameJson(JSON.parse(JSON.stringify(expected)), found)
}

/** A message that was stored before it had a field has no such member, and is now given with its default. */
function isSameJson(expected: unknown, found: unknown): boolean {
  if (!isObject(expected) || !isObject(found)) return isDeepStrictEqual(expected, found)
  if (Array.isArray(expected) !== Array.isArray(found)) return false
  if (Object.keys(found).some((name) => !Object.hasOwn(expected, name))) return false
  return Object.entries(expected).every(([name, value]) =>
    Object.hasOwn(found, name) ? isSameJson(value, found[name]) : !Array.isArray(expected) && isDefault(value),
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isDefault(value: unknown): boolean {
  return (
    [0, '0', '', '0x', false, null].includes(value as never) || (isObject(value) && Object.keys(value).length === 0)
  )
}

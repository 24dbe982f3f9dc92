import { isDeepStrictEqual } from 'node:util'
import type { SinkTopic, StoredRow } from '../destination/destination.ts'
import { fieldReader } from '../field/read-field.ts'
import type { FieldType } from '../field/topic-fields.ts'

type Value = StoredRow['value']

/** The name of the first field that differs; `value` without fields. `undefined`: they are equal. */
export function differingField({ fields }: SinkTopic, expected: Value, found: Value): string | undefined {
  if (!fields) return isEqual(expected, found, 'json') ? undefined : 'value'
  return fields.find(({ name, type }) => {
    const read = fieldReader(name)
    return !isEqual(read(expected), read(found), type)
  })?.name
}

function isEqual(expected: unknown, found: unknown, type: FieldType): boolean {
  if (expected === found) return true
  if (expected == null || found == null) return expected == null && found == null
  if (type === 'timestamp') return toMicroseconds(expected as string) === found
  // In JSON, -0 is 0.
  return type === 'json' && isDeepStrictEqual(JSON.parse(JSON.stringify(expected)), found)
}

function toMicroseconds(time: string): string {
  return time.replace(/(\.\d{6})\d+Z$/, '$1Z').replace(/(\.000000|(?<=\.\d{3})000)Z$/, 'Z')
}

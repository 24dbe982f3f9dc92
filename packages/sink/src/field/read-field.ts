import type { SinkRecord } from '../destination/destination.ts'

/** Reads a field, which may have the name of a member that every object has, such as `constructor`. */
export function fieldReader(name: string): (value: SinkRecord['value']) => unknown {
  if (!(name in Object.prototype)) return (value) => value?.[name]
  return (value) => (value !== null && Object.hasOwn(value, name) ? value[name] : undefined)
}

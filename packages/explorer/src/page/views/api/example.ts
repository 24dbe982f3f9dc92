import { referenceName, type Schema, type Schemas } from './api-document.ts'

/** Levels of nested values. Deeper ones are left out, as are those that contain themselves. */
const deepest = 6

/** A value that has the form of a schema, for reading. */
export function exampleOf(schema: Schema, schemas: Schemas, name = '', inside: readonly string[] = []): unknown {
  const { $ref, type, properties, items, additionalProperties } = schema
  if (inside.length > deepest) return undefined
  if ($ref) {
    const target = referenceName($ref)
    if (target === 'Cursor') return 'AbC…'
    if (target === 'TopicName') return names.topic
    if (inside.includes(target) || !Object.hasOwn(schemas, target)) return undefined
    return exampleOf(schemas[target]!, schemas, name, [...inside, target])
  }
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0]
  if (choice) return exampleOf(choice, schemas, name, inside)
  if (properties) {
    const members = Object.entries(properties).filter(([member]) => schema.required?.includes(member) ?? false)
    const shown = members.length > 0 ? members : Object.entries(properties)
    return Object.fromEntries(
      shown.map(([member, one]) => [member, exampleOf(one, schemas, member, [...inside, '.'])] as const),
    )
  }
  if (type === 'array') {
    const item = items && exampleOf(items, schemas, name, [...inside, '[]'])
    return item === undefined ? [] : [item]
  }
  if (typeof additionalProperties === 'object')
    return { '…': exampleOf(additionalProperties, schemas, name, [...inside, '{}']) }
  return scalarExample(schema, name)
}

const names: Readonly<Record<string, unknown>> = {
  topic: 'headrace.evm.1_0_0.ethereum_Block',
  owner: 'headrace',
  package: 'evm',
  version: '1.0.0',
  message: 'headrace.evm.Block',
  value: { Number: '21000000', Hash: '0x…' },
  key: '0x…',
}

function scalarExample({ type, format, pattern = '', minimum = 0 }: Schema, name: string): unknown {
  if (Object.hasOwn(names, name)) return names[name]
  const kind = typeof type === 'string' ? type : type?.[0]
  if (format === 'date-time') return '2026-08-21T10:00:00Z'
  if (kind === 'integer' || kind === 'number') return Math.max(minimum, 0)
  if (kind === 'boolean') return true
  if (kind === 'object') return {}
  if (kind === 'null') return null
  return pattern.includes('\\d') ? '20734' : '…'
}

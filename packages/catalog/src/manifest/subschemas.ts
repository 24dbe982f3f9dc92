interface Subschema {
  readonly path: readonly string[]
  readonly schema: Readonly<Record<string, unknown>>
}

/** Outermost first. */
export function* subschemas(schema: unknown, path: readonly string[] = []): Generator<Subschema> {
  if (!isMap(schema)) return
  yield { path, schema }
  for (const [keyword, value] of Object.entries(schema)) {
    if (holdsSchema.has(keyword)) yield* subschemas(value, [...path, keyword])
    else if (holdsSchemas.has(keyword) && typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) yield* subschemas(part, [...path, keyword, name])
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const holdsSchema: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/** Keywords with a map or list of schemas. */
const holdsSchemas: ReadonlySet<string> = new Set([
  '$defs',
  'allOf',
  'anyOf',
  'definitions',
  'dependentSchemas',
  'oneOf',
  'patternProperties',
  'prefixItems',
  'properties',
])

export function holdsSecret(setting: unknown, schema: unknown, followed: Set<string> = new Set()): boolean {
  return [...subschemas(setting)].some(({ schema: { writeOnly, $ref } }) => {
    if (writeOnly === true) return true
    if (typeof $ref !== 'string' || followed.has($ref)) return false
    followed.add($ref)
    return holdsSecret(valueAt(schema, $ref.split('/').slice(1)), schema, followed)
  })
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value)
}

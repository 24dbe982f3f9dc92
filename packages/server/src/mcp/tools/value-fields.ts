import type { JsonSchema } from '@headrace/catalog'

export interface ValueField {
  /** Its path in `value`, e.g. `Address.City`; `[]` after a list and `{}` after a map. */
  readonly field: string
  readonly type: string
  readonly comment?: string
}

/** Fields of a message, with those of the messages in it, in the order of the schema. */
export function valueFields(schema: JsonSchema): ValueField[] {
  const definitions = (schema.$defs ?? {}) as Readonly<Record<string, JsonSchema>>
  const fields: ValueField[] = []
  addMembers(schema, '', [])
  return fields

  function addMembers(of: JsonSchema, prefix: string, within: readonly string[]): void {
    const { name, target } = resolve(of)
    // A message may contain itself.
    if (name !== undefined && within.includes(name)) return
    const path = name === undefined ? within : [...within, name]
    for (const [member, definition] of Object.entries((target.properties ?? {}) as Record<string, JsonSchema>)) {
      const field = prefix + member
      const comment = (definition.description ?? resolve(definition).target.description) as string | undefined
      fields.push({ field, type: typeOf(definition), ...(comment !== undefined && { comment }) })
      const { part, mark } = elementOf(definition)
      addMembers(part, `${field}${mark}.`, path)
    }
  }

  function resolve(part: JsonSchema): { readonly name?: string; readonly target: JsonSchema } {
    const name = typeof part.$ref === 'string' ? part.$ref.replace('#/$defs/', '') : undefined
    return name === undefined ? { target: part } : { name, target: definitions[name] ?? {} }
  }

  function typeOf(part: JsonSchema): string {
    const { part: element, mark } = elementOf(part)
    if (mark !== '') return `${mark === '[]' ? 'list' : 'map'} of ${typeOf(element)}`
    const { name, target } = resolve(part)
    if (name !== undefined && target.properties) return `message ${name}`
    const alternatives = (target.anyOf ?? [target]) as readonly JsonSchema[]
    const values = alternatives.find((alternative) => Array.isArray(alternative.enum))?.enum as
      | readonly string[]
      | undefined
    return name !== undefined && values ? `enum: ${values.join(', ')}` : scalarType(alternatives[0]!)
  }
}

function elementOf(part: JsonSchema): { readonly part: JsonSchema; readonly mark: '' | '[]' | '{}' } {
  if (part.type === 'array' && part.items) return { part: part.items as JsonSchema, mark: '[]' }
  if (part.type === 'object' && part.propertyNames) return { part: part.additionalProperties as JsonSchema, mark: '{}' }
  return { part, mark: '' }
}

function scalarType({ type, format, pattern, contentEncoding }: JsonSchema): string {
  if (format === 'date-time') return 'time, RFC 3339'
  if (contentEncoding === 'base64') return 'bytes, in base64'
  if (typeof pattern === 'string' && pattern.startsWith('^0x')) return 'bytes, as 0x and hex digits'
  if (typeof pattern === 'string' && pattern.startsWith('^(0|')) return '64-bit integer, as text'
  return type === 'string' ? 'text' : ((type as string | undefined) ?? 'any')
}

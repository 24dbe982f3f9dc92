import type { JsonSchema } from '../../../service/types.ts'

/** How JSON has a value of this schema, in a few words. */
export function jsonForm(schema: JsonSchema | undefined, defined: JsonSchema['$defs'] = {}): string {
  if (!schema) return ''
  const { $ref, type, pattern = '', items, additionalProperties } = schema
  if ($ref) return isEnum(defined[definitionName($ref)]) ? 'string, a name' : 'object'
  if (type === 'array') return items ? `array of ${plural(jsonForm(items, defined))}` : 'array'
  if (type === 'object' && typeof additionalProperties === 'object')
    return `object of ${plural(jsonForm(additionalProperties, defined))}`
  if (schema.format === 'date-time') return 'string, RFC 3339'
  if (schema.contentEncoding === 'base64') return 'string, base64'
  if (pattern.startsWith('^0x')) return 'string, 0x… hex'
  if (pattern.endsWith('s$')) return 'string, seconds'
  if (type === 'string' && /\\d\{0,1[89]\}/.test(pattern)) return 'string, an integer'
  if (schema.anyOf?.some((one) => one.type === 'number')) return 'number'
  return typeof type === 'string' ? type : 'any value'
}

export function definitionName(reference: string): string {
  return reference.replace('#/$defs/', '')
}

function isEnum(schema: JsonSchema | undefined): boolean {
  return schema?.anyOf?.some((one) => one.enum) ?? false
}

function plural(form: string): string {
  const [first = '', ...rest] = form.split(', ')
  const word = first.startsWith('array of')
    ? first.replace('array', 'arrays')
    : first === 'any value'
      ? 'any values'
      : `${first}s`
  return [word, ...rest].join(', ')
}

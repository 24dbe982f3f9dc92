import { compile, type JSONSchema } from 'json-schema-to-typescript'

/**
 * Generates `export interface Config` from a manifest's JSON Schema. It describes the validated settings, so a setting
 * with a default is always present.
 */
export async function generateSettingsInterface(schema: object): Promise<string> {
  const code = await compile(asReceived(schema) as JSONSchema, 'Config', {
    additionalProperties: false,
    bannerComment: '',
    ignoreMinAndMaxItems: true,
    $refOptions: { resolve: { file: false, http: false } },
    style: { printWidth: 120, semi: false, singleQuote: true },
  })
  return code.trim()
}

/** The schema of validated settings. Titles are removed, because each would become a type of its own. */
function asReceived(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asReceived)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([name, value]) => !(name === 'title' && typeof value === 'string'))
  const copy = Object.fromEntries(entries.map(([name, value]) => [name, asReceived(value)]))
  if (!isObject(copy.properties)) return copy
  const defaulted = Object.entries(copy.properties).filter(
    ([, property]) => isObject(property) && 'default' in property,
  )
  const required = Array.isArray(copy.required) ? copy.required : []
  return { ...copy, required: [...new Set([...required, ...defaulted.map(([name]) => name)])] }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { isMap, type Node, type YAMLMap } from 'yaml'
import { checkSettingsSchema } from './check-settings-schema.ts'
import type { SettingSchema, SettingsSchema } from './manifest.ts'
import { describe, fieldOf, type YamlSource } from './yaml-source.ts'

/** Reads `config`, the JSON Schema of the settings; without one there are no settings. Mistakes are reported. */
export function readSettingsSchema(source: YamlSource, map: YAMLMap): SettingsSchema {
  const node = fieldOf(map, 'config')
  if (!node) return noSettings
  if (!isMap(node)) {
    source.report(node, 'invalid_config', `"config" is ${describe(node)}; it must be a JSON Schema of type object.`)
    return noSettings
  }
  const schema = { type: 'object', ...(node.toJS(source.document) as SettingsSchema) }
  if (schema.type !== 'object')
    source.report(
      fieldOf(node, 'type'),
      'invalid_config',
      `"config.type" is ${JSON.stringify(schema.type)}; it must be "object": settings have names.`,
    )
  const mistakes = checkSettingsSchema(schema)
  for (const { path, message } of mistakes)
    source.report(
      placeOf(node, path),
      'invalid_config',
      `"${['config', ...path].join('.')}" ${message}.`.replace(/\?\.$/, '?'),
    )
  return mistakes.length === 0 ? schema : { ...noSettings, properties: mapsOf(schema.properties) }
}

/** What is right enough of `properties` for topic names to be checked with. */
function mapsOf(properties: unknown): Record<string, SettingSchema> {
  const entries = Object.entries(properties ?? {})
  return Object.fromEntries(entries.filter(([, schema]) => typeof schema === 'object' && schema !== null))
}

/** The node at a path, or the innermost one around it. */
function placeOf(node: YAMLMap, path: readonly string[]): Node {
  const found = node.getIn(path, true) as Node | undefined
  return found ?? (path.length === 0 ? node : placeOf(node, path.slice(0, -1)))
}

const noSettings: SettingsSchema = { type: 'object', additionalProperties: false }

import { isMap, type Node, type YAMLMap } from 'yaml'
import { didYouMean } from '../nearest-name.ts'
import { type SettingSchema, type SettingsSchema, settingVariable } from './manifest.ts'
import { createAjv, createSettingsValidator, explainErrors, type SchemaMistake } from './settings-validator.ts'
import { describe, fieldOf, type YamlSource } from './yaml-source.ts'

export function readSettingsSchema(source: YamlSource, map: YAMLMap): SettingsSchema {
  const report = (at: Node | undefined, message: string) => source.report(at, 'invalid_config', message)
  const node = fieldOf(map, 'config')
  if (!node) return noSettings
  if (!isMap(node)) {
    report(node, `"config" is ${describe(node)}; it must be a JSON Schema with "type: object".`)
    return noSettings
  }
  const schema = { type: 'object', ...(node.toJS(source.document) as SettingsSchema) }
  if (schema.type !== 'object')
    report(fieldOf(node, 'type'), `"config.type" is ${JSON.stringify(schema.type)}; it must be "object".`)
  const mistakes = checkSettingsSchema(schema)
  for (const { path, message } of mistakes)
    report(placeOf(node, path), `"${['config', ...path].join('.')}" ${message}.`.replace(/\?\.$/, '?'))
  return mistakes.length === 0 ? schema : { ...noSettings, properties: mapsOf(schema.properties) }
}

function mapsOf(properties: unknown): Record<string, SettingSchema> {
  const entries = Object.entries(properties ?? {})
  return Object.fromEntries(entries.filter(([, schema]) => typeof schema === 'object' && schema !== null))
}

/** Or the innermost existing node around the path. */
function placeOf(node: YAMLMap, path: readonly string[]): Node {
  const found = node.getIn(path, true) as Node | undefined
  return found ?? (path.length === 0 ? node : placeOf(node, path.slice(0, -1)))
}

const noSettings: SettingsSchema = { type: 'object', additionalProperties: false }

function checkSettingsSchema(schema: SettingsSchema): SchemaMistake[] {
  const mistakes = [...checkDialect(schema), ...checkKeywords(schema)]
  if (mistakes.length > 0) return mistakes
  const ajv = createAjv()
  if (!ajv.validateSchema(schema)) return explainViolations(explainErrors(ajv.errors ?? []), schema)
  const found = [...checkPatterns(schema), ...checkReferences(schema), ...checkProperties(schema)]
  if (found.length > 0) return found
  try {
    ajv.compile(schema)
  } catch (error) {
    return [{ path: [], message: `is not a valid JSON Schema: ${(error as Error).message.replace(/\.$/, '')}` }]
  }
  return checkDefaults(schema)
}

function checkDialect({ $schema }: SettingsSchema): SchemaMistake[] {
  if ($schema === undefined || $schema === dialect) return []
  const message = `is ${describeValue($schema)}; it must be "${dialect}". Remove it: this is the default`
  return [{ path: ['$schema'], message }]
}

function checkKeywords(schema: SettingsSchema): SchemaMistake[] {
  const { keywords } = createAjv().RULES
  return [...subschemas(schema)].flatMap(({ path, schema: part }) =>
    Object.keys(part)
      .filter((name) => !keywords[name] && !name.startsWith('x-'))
      .map((name) => ({
        path: [...path, name],
        message: `is not a keyword of JSON Schema.${didYouMean(name, Object.keys(keywords)) || ' Remove it'}`,
      })),
  )
}

function explainViolations(mistakes: readonly SchemaMistake[], schema: SettingsSchema): SchemaMistake[] {
  const byPlace = new Map(mistakes.map((mistake) => [mistake.path.join('/'), mistake]))
  return [...byPlace.values()].map(({ path, message }) => {
    const value = valueAt(schema, path)
    const rule = path.at(-1) === 'type' ? typeRule(value) : message.replace('a map or true or false', 'a map')
    return { path, message: `is ${describeValue(value)}; it ${rule}` }
  })
}

function typeRule(value: unknown): string {
  const hint = typeof value === 'string' ? didYouMean(value, types) : ''
  return `must be one of ${types.join(', ')}, or a list of these${hint === '' ? '' : `.${hint}`}`
}

function checkPatterns(schema: SettingsSchema): SchemaMistake[] {
  return [...subschemas(schema)].flatMap(({ path, schema: { pattern } }) => {
    if (typeof pattern !== 'string') return []
    try {
      new RegExp(pattern, 'u')
      return []
    } catch (error) {
      const why = /: ([^:]*)$/.exec((error as Error).message)?.[1] ?? 'it cannot be read'
      const message = `is ${describeValue(pattern)}, which is not a regular expression: ${why}`
      return [{ path: [...path, 'pattern'], message }]
    }
  })
}

function checkReferences(schema: SettingsSchema): SchemaMistake[] {
  return [...subschemas(schema)]
    .filter(({ schema: { $ref } }) => typeof $ref === 'string' && !isDefined($ref, schema))
    .map(({ path, schema: { $ref } }) => ({
      path: [...path, '$ref'],
      message: `is ${describeValue($ref)}, which does not exist. Define it under "config.$defs" and refer to it with  #/$defs/NAME`,
    }))
}

function isDefined(reference: string, schema: SettingsSchema): boolean {
  if (!/^#(\/[^%~]+)*$/.test(reference)) return false
  const target = valueAt(schema, reference.split('/').slice(1))
  return typeof target === 'object' && target !== null
}

function checkProperties({ properties = {}, required, additionalProperties }: SettingsSchema): SchemaMistake[] {
  const names = Object.keys(properties)
  const variables = new Map<string, string>()
  const found: SchemaMistake[] = []
  const add = (path: readonly string[], message: string) => found.push({ path, message })
  for (const name of names) {
    const path = ['properties', name]
    const variable = settingVariable(name)
    const duplicate = variables.get(variable)
    if (typeof properties[name] !== 'object') add(path, 'must be a map with a JSON Schema')
    if (duplicate !== undefined) add(path, `has the same variable ${variable} as "${duplicate}". Rename one of them`)
    variables.set(variable, name)
  }
  const isClosed = additionalProperties === undefined || additionalProperties === false
  for (const [index, name] of (Array.isArray(required) ? required : []).entries()) {
    if (!isClosed || names.includes(name)) continue
    const hint = didYouMean(name, names) || ' Add it there, or remove it here'
    add(['required', String(index)], `is "${name}", which is missing from "properties".${hint}`)
  }
  return found
}

function checkDefaults(schema: SettingsSchema): SchemaMistake[] {
  const validator = createSettingsValidator(schema)
  return Object.entries(schema.properties ?? {}).flatMap(([name, setting]) => {
    const { default: value } = setting
    if (value === undefined) return []
    return validator.checkOne(name, value).map(({ path, message }) => {
      const part = valueAt(value, path.slice(1))
      const found = holdsSecret(setting, schema) ? 'is not allowed' : `is ${describeValue(part)}`
      return { path: ['properties', name, 'default', ...path.slice(1)], message: `${found}; it ${message}` }
    })
  })
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'a map'
  return JSON.stringify(value) ?? 'missing'
}

const dialect = 'https://json-schema.org/draft/2020-12/schema'
const types = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']

interface Subschema {
  readonly path: readonly string[]
  readonly schema: Readonly<Record<string, unknown>>
}

/** Outermost first. */
function* subschemas(schema: unknown, path: readonly string[] = []): Generator<Subschema> {
  if (!isRecord(schema)) return
  yield { path, schema }
  for (const [keyword, value] of Object.entries(schema)) {
    if (holdsOne.test(keyword)) yield* subschemas(value, [...path, keyword])
    else if (holdsSeveral.test(keyword) && typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) yield* subschemas(part, [...path, keyword, name])
  }
}

/** Keywords with a schema. */
const holdsOne = /^(additionalProperties|contains|else|if|items|not|propertyNames|then|unevaluated(Items|Properties))$/
/** Keywords with a map or list of schemas. */
const holdsSeveral = /^(\$defs|(all|any|one)Of|definitions|dependentSchemas|patternProperties|prefixItems|properties)$/

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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

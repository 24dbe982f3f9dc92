import { readFile } from 'node:fs/promises'
import { UserError } from '@headrace/queue'
import { type Document, isMap, isScalar, LineCounter, parseDocument, type Scalar, visit } from 'yaml'
import { explainFileMistake } from '../file-mistake.ts'
import { didYouMean } from '../nearest-name.ts'
import { type Manifest, type SettingSchema, settingVariable } from './manifest.ts'
import { holdsSecret } from './read-settings-schema.ts'
import { createSettingsValidator, type SchemaMistake, type SettingsValidator } from './settings-validator.ts'
import { explainYamlMistake } from './yaml-source.ts'

export interface Settings {
  readonly values: Readonly<Record<string, unknown>>
  readonly secrets: readonly string[]
  redacted(): Record<string, unknown>
}

/** Later ones override earlier ones. */
export interface SettingsSources {
  /** YAML or JSON. */
  readonly file?: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Where a variable from a file was set: `.env:1`. */
  readonly variablePlaces?: Readonly<Record<string, string>>
  /** `name=value`. */
  readonly sets?: readonly string[]
  /** Where the sets come from, for messages. */
  readonly setsOption?: string
}

/**
 * Later sources override earlier ones. A text is parsed as JSON if the setting allows the result.
 *
 * @throws {UserError} `invalid_settings`, with every mistake. Secrets and the part of URLs after the host are not
 *   shown.
 */
export async function resolveSettings(manifest: Manifest, from: SettingsSources): Promise<Settings> {
  const schema = manifest.config
  const validator = createSettingsValidator(schema)
  const properties = schema.properties ?? {}
  const mistakes: string[] = []
  const given = new Map<string, Given>([
    ...(from.file === undefined ? [] : await readSettingsFile(from.file)),
    ...fromEnvironment(properties, from, validator),
    ...fromSets(from, properties, validator, mistakes),
  ])
  const values = Object.fromEntries([...given].map(([name, { value }]) => [name, value]))
  const secrets = Object.keys(properties).filter((name) => holdsSecret(properties[name], schema))
  const open = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  for (const [name, { place }] of given)
    if (!open && !Object.hasOwn(properties, name))
      mistakes.push(
        `"${name}" is not a setting of this connector (${place}).${didYouMean(name, Object.keys(properties)) || listOf(properties)}`,
      )
  const canShow = (name: string) => Object.hasOwn(properties, name) && !secrets.includes(name)
  for (const mistake of validator.check(values))
    if (mistake.path.length !== 1 || open || Object.hasOwn(properties, mistake.path[0]!))
      mistakes.push(explainMistake(mistake, given, canShow, from))
  if (mistakes.length > 0) throw invalidSettings(mistakes)
  return {
    values,
    secrets,
    redacted: () =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secrets.includes(name) ? '***' : value])),
  }
}

type Properties = Readonly<Record<string, SettingSchema>>

interface Given {
  readonly value: unknown
  readonly place: string
}

function fromEnvironment(
  properties: Properties,
  { environment = {}, variablePlaces = {} }: SettingsSources,
  validator: SettingsValidator,
): [string, Given][] {
  return Object.keys(properties).flatMap((name): [string, Given][] => {
    const variable = settingVariable(name)
    const text = environment[variable]
    if (text === undefined) return []
    const file = variablePlaces[variable]
    const place = file === undefined ? `the environment variable ${variable}` : `${file} (${variable})`
    return [[name, { value: readText(name, text, properties, validator), place }]]
  })
}

function fromSets(
  { sets = [], setsOption = 'sets' }: SettingsSources,
  properties: Properties,
  validator: SettingsValidator,
  mistakes: string[],
): [string, Given][] {
  return sets.flatMap((set): [string, Given][] => {
    const equals = set.indexOf('=')
    const name = set.slice(0, equals)
    const place = `${setsOption} ${name}=…`
    if (equals >= 1) return [[name, { value: readText(name, set.slice(equals + 1), properties, validator), place }]]
    mistakes.push(`A value of ${setsOption} must be name=value, such as start=0. It has no "=", or no name before it`)
    return []
  })
}

function readText(name: string, text: string, properties: Properties, validator: SettingsValidator): unknown {
  const fits = (value: unknown) => validator.checkOne(name, value).length === 0
  const value = parseJson(text)
  if (value === undefined) return text
  if (fits(value)) return value
  // The error is about the value that was probably intended.
  return fits(text) || takesText(properties[name]) ? text : value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function takesText({ type }: SettingSchema = {}): boolean {
  return type === undefined || [type].flat().includes('string')
}

function subjectOf(path: readonly string[]): string {
  return path.length === 0 ? 'The settings' : `"${path.join('.')}"`
}

function explainMistake(
  { path, message, found }: SchemaMistake,
  given: ReadonlyMap<string, Given>,
  canShow: (name: string) => boolean,
  { setsOption }: SettingsSources,
): string {
  const [name, ...inner] = path
  const sentence = `${subjectOf(path)} ${message}`
  if (name === undefined) return sentence
  const place = given.get(name)?.place
  const isMissing = place === undefined && inner.length === 0 && !found
  if (isMissing) {
    const option = setsOption === undefined ? '' : ` with ${setsOption} ${name}=…`
    return `${sentence}: give it${option} or set the variable ${settingVariable(name)}`
  }
  const where = place ?? "the manifest's default"
  if (!found) return `${sentence}, in ${where}`
  if (canShow(name)) return `${sentence}: found ${showSetting(found.value)} in ${where}`
  return `${sentence}: the value in ${where} is not shown, since it may be a secret`
}

function listOf(properties: object): string {
  const names = Object.keys(properties)
  return names.length > 0 ? ` It has ${names.join(', ')}.` : ' It has none.'
}

const longest = 80

function showSetting(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? withoutKeys(part) : part))
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Keys may follow the host of a URL, and a password may contain any character. */
function withoutKeys(text: string): string {
  return text.replace(/(:\/\/)(.*)$/s, (_, start: string, rest: string) => {
    if (rest.includes('@')) return `${start}…`
    const host = /^[^/?#\s]*/.exec(rest)![0]
    return rest.length > host.length + 1 ? `${start}${host}/…` : `${start}${rest}`
  })
}

const prefix = 'CONNECTOR_'

export function explainUnknownVariables(
  { config }: Manifest,
  environment: Readonly<Record<string, string | undefined>>,
  places: Readonly<Record<string, string>> = {},
): string[] {
  const known = new Set(Object.keys(config.properties ?? {}).map(settingVariable))
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.has(name))
    .map((name) => {
      const subject = places[name] === undefined ? `The environment variable ${name}` : `${name} in ${places[name]}`
      return `${subject} belongs to no setting and is ignored.${didYouMean(name, known)}`
    })
}

async function readSettingsFile(file: string): Promise<[string, Given][]> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw invalidSettings([`The file "${file}" cannot be read: ${explainFileMistake(cause as Error)}`], { cause })
  }
  const counter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, lineCounter: counter })
  const [mistake] = document.errors
  if (mistake) {
    // The parser's message can contain a secret.
    const { line, col } = counter.linePos(mistake.pos[0])
    throw invalidSettings([`${file}:${line}:${col}: ${explainYamlMistake(mistake)}`])
  }
  const map = document.contents
  if (!isMap(map) || !isPlain(document))
    throw invalidSettings([`The file ${file} must be a map of settings without aliases, such as  chain: ethereum`])
  const values = document.toJS() as Readonly<Record<string, unknown>>
  return map.items.map(({ key }) => {
    const { value, range } = key as Scalar
    const name = String(value ?? '')
    return [name, { value: values[name], place: `${file}:${counter.linePos(range?.[0] ?? 0).line}` }]
  })
}

/** For others the parser's messages would quote values. */
function isPlain(document: Document): boolean {
  let plain = true
  visit(document, {
    Alias() {
      plain = false
    },
    Pair(_, { key }) {
      if (!isScalar(key)) plain = false
    },
  })
  return plain
}

function invalidSettings(mistakes: readonly string[], options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_settings',
    `The settings are invalid:\n${mistakes.map((one) => `  - ${one}`).join('\n')}`,
    options,
  )
}

import { readFile } from 'node:fs/promises'
import { UserError } from '@headrace/queue'
import { type Document, isAlias, isMap, isPair, isScalar, parseDocument, type Scalar, visit } from 'yaml'
import { explainFileMistake } from '../file-mistake.ts'
import { didYouMean } from '../nearest-name.ts'
import { createPlaces } from '../problem.ts'
import { type Manifest, type SettingSchema, settingVariable } from './manifest.ts'
import { holdsSecret } from './read-settings-schema.ts'
import { createSettingsValidator, type SchemaMistake } from './settings-validator.ts'
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
 * @throws {UserError} `invalid_settings`, with every mistake, but without secrets and what follows the host of a URL.
 */
export async function resolveSettings(manifest: Manifest, from: SettingsSources): Promise<Settings> {
  const schema = manifest.config
  const validator = createSettingsValidator(schema)
  const properties = schema.properties ?? {}
  const names = Object.keys(properties)
  const mistakes: string[] = []
  const texts = [...fromEnvironment(names, from), ...fromSets(from, mistakes)]
  const given = new Map<string, Given>([
    ...(from.file === undefined ? [] : await readSettingsFile(from.file)),
    ...texts.map(([name, { value, place }]) => [name, { value: readText(name, value), place }] as const),
  ])
  const values = Object.fromEntries([...given].map(([name, { value }]) => [name, value]))
  const secrets = names.filter((name) => holdsSecret(properties[name], schema))
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  const isAllowed = (name: string) => isOpen || names.includes(name)
  for (const [name, { place }] of given)
    if (!isAllowed(name)) {
      const hint = didYouMean(name, names) || ` It has ${names.join(', ') || 'none'}.`
      mistakes.push(`"${name}" is not a setting of this connector (${place}).${hint}`)
    }
  const canShow = (name: string) => names.includes(name) && !secrets.includes(name)
  for (const mistake of validator.check(values))
    if (mistake.path.length !== 1 || isAllowed(mistake.path[0]!))
      mistakes.push(explainMistake(mistake, given, canShow, from))
  if (mistakes.length > 0) throw invalidSettings(mistakes)
  return {
    values,
    secrets,
    redacted: () =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secrets.includes(name) ? '***' : value])),
  }

  function readText(name: string, text: string): unknown {
    const fits = (value: unknown) => validator.checkOne(name, value).length === 0
    const value = parseJson(text)
    if (value === undefined) return text
    if (fits(value)) return value
    // The error is about the value that was probably intended.
    return fits(text) || takesText(properties[name]) ? text : value
  }
}

interface Given<Value = unknown> {
  readonly value: Value
  readonly place: string
}

type GivenText = [name: string, Given<string>]

function fromEnvironment(names: readonly string[], from: SettingsSources): GivenText[] {
  const { environment = {}, variablePlaces = {} } = from
  return names.flatMap((name): GivenText[] => {
    const variable = settingVariable(name)
    const value = environment[variable]
    if (value === undefined) return []
    const file = variablePlaces[variable]
    const place = file === undefined ? `the environment variable ${variable}` : `${file} (${variable})`
    return [[name, { value, place }]]
  })
}

function fromSets({ sets = [], setsOption = 'sets' }: SettingsSources, mistakes: string[]): GivenText[] {
  return sets.flatMap((set): GivenText[] => {
    const equals = set.indexOf('=')
    const name = set.slice(0, equals)
    if (equals >= 1) return [[name, { value: set.slice(equals + 1), place: `${setsOption} ${name}=…` }]]
    mistakes.push(`A value of ${setsOption} must be name=value, such as start=0. It has no "=", or no name before it`)
    return []
  })
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

function explainMistake(
  { path, message, found }: SchemaMistake,
  given: ReadonlyMap<string, Given>,
  canShow: (name: string) => boolean,
  { setsOption }: SettingsSources,
): string {
  const [name, ...inner] = path
  if (name === undefined) return `The settings ${message}`
  const sentence = `"${path.join('.')}" ${message}`
  const place = given.get(name)?.place
  if (place === undefined && inner.length === 0 && !found) {
    const option = setsOption === undefined ? '' : ` with ${setsOption} ${name}=…`
    return `${sentence}: give it${option} or set the variable ${settingVariable(name)}`
  }
  const where = place ?? "the manifest's default"
  if (!found) return `${sentence}, in ${where}`
  if (canShow(name)) return `${sentence}: found ${showSetting(found.value)} in ${where}`
  return `${sentence}: the value in ${where} is not shown, since it may be a secret`
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

export function explainUnknownVariables(
  { config }: Manifest,
  environment: Readonly<Record<string, string | undefined>>,
  places: Readonly<Record<string, string>> = {},
): string[] {
  const known = new Set(Object.keys(config.properties ?? {}).map(settingVariable))
  return Object.keys(environment)
    .filter((name) => name.startsWith('CONNECTOR_') && !known.has(name))
    .map((name) => {
      const subject = places[name] === undefined ? `The environment variable ${name}` : `${name} in ${places[name]}`
      return `${subject} belongs to no setting and is ignored.${didYouMean(name, known)}`
    })
}

async function readSettingsFile(file: string): Promise<[string, Given][]> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw invalidSettings([`The file "${file}" cannot be read: ${explainFileMistake(cause)}`], { cause })
  })
  const placeAt = createPlaces(text)
  const document = parseDocument(text, { prettyErrors: false })
  const [mistake] = document.errors
  if (mistake) {
    // The parser's message can contain a secret.
    const { line, column } = placeAt(mistake.pos[0])
    throw invalidSettings([`${file}:${line}:${column}: ${explainYamlMistake(mistake)}`])
  }
  const map = document.contents
  if (!isMap(map) || !isPlain(document))
    throw invalidSettings([`The file ${file} must be a map of settings without aliases, such as  chain: ethereum`])
  const values = document.toJS() as Readonly<Record<string, unknown>>
  return map.items.map(({ key }) => {
    const { value, range } = key as Scalar
    const name = String(value ?? '')
    return [name, { value: values[name], place: `${file}:${placeAt(range?.[0] ?? 0).line}` }]
  })
}

/** For others the parser's messages would quote values. */
function isPlain(document: Document): boolean {
  let plain = true
  visit(document, (_, node) => {
    if (isAlias(node) || (isPair(node) && !isScalar(node.key))) plain = false
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

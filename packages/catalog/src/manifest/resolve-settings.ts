import { readFile } from 'node:fs/promises'
import { UserError } from '@headrace/queue'
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { explainFileMistake } from '../file-mistake.ts'
import { didYouMean } from '../nearest-name.ts'
import { holdsSecret } from './holds-secret.ts'
import type { Manifest, SettingSchema } from './manifest.ts'
import { settingVariable } from './setting-variable.ts'
import { createSettingsValidator, type SettingsValidator } from './settings-validator.ts'
import { explainYamlMistake } from './yaml-mistake.ts'

/** A connector's settings. */
export interface Settings {
  readonly values: Readonly<Record<string, unknown>>
  /** Names of those that must not be shown. */
  readonly secrets: readonly string[]
  /** The values with each secret replaced by `***`. */
  redacted(): Record<string, unknown>
}

/** Where settings come from, the later ones going before the earlier. */
export interface SettingsSources {
  /** Path of a YAML or JSON file. */
  readonly file?: string
  /** Variables; `CONNECTOR_<NAME>` is the setting whose name reads `<NAME>` in upper case with `_` between words. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** `name=value`. */
  readonly sets?: readonly string[]
}

/**
 * Gathers the settings: the manifest's defaults, then the file, the environment and the sets, and checks them.
 *
 * A value given as text is read as JSON where the setting allows what that gives (numbers, lists), else as text.
 *
 * @throws {UserError} `invalid_settings`, which lists every mistake. No value of a setting is in the message.
 */
export async function resolveSettings(manifest: Manifest, from: SettingsSources): Promise<Settings> {
  const validator = createSettingsValidator(manifest.config)
  const properties = manifest.config.properties ?? {}
  const mistakes: string[] = []
  const values = {
    ...(from.file !== undefined && (await readSettingsFile(from.file))),
    ...readEnvironment(properties, from.environment ?? {}, validator),
    ...readSets(from.sets ?? [], properties, validator, mistakes),
  }
  const open = manifest.config.additionalProperties !== undefined && manifest.config.additionalProperties !== false
  for (const name of Object.keys(values))
    if (!open && !Object.hasOwn(properties, name))
      mistakes.push(
        `"${name}" is no setting of this connector.${didYouMean(name, Object.keys(properties)) || listOf(properties)}`,
      )
  for (const { path, message } of validator.check(values))
    if (path.length !== 1 || open || Object.hasOwn(properties, path[0]!))
      mistakes.push(`${subjectOf(path)} ${message}${remedyOf(path, values)}`)
  if (mistakes.length > 0) throw invalid(mistakes)
  const secrets = Object.keys(properties).filter((name) => holdsSecret(properties[name]))
  return {
    values,
    secrets,
    redacted: () =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secrets.includes(name) ? '***' : value])),
  }
}

async function readSettingsFile(file: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw invalid([`The file "${file}" cannot be read: ${explainFileMistake(cause as Error)}`], { cause })
  }
  const counter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, lineCounter: counter })
  const [mistake] = document.errors
  if (mistake) {
    // Neither the parser's message nor the mistake itself may be handed on: both can quote a secret.
    const { line, col } = counter.linePos(mistake.pos[0])
    throw invalid([`${file}:${line}:${col}: ${explainYamlMistake(mistake)}`])
  }
  const values = isPlain(document) ? (document.toJS() as unknown) : undefined
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return values as Record<string, unknown>
  throw invalid([`The file ${file} must hold a map of settings, such as  chain: ethereum, and no aliases.`])
}

type Properties = Readonly<Record<string, SettingSchema>>

/** Whether there is neither an alias nor a name that is no text, for which the parser's own words would quote values. */
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

function readEnvironment(
  properties: Properties,
  environment: Readonly<Record<string, string | undefined>>,
  validator: SettingsValidator,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(properties).flatMap((name) => {
      const text = environment[settingVariable(name)]
      return text === undefined ? [] : [[name, readText(name, text, properties, validator)]]
    }),
  )
}

function readSets(
  sets: readonly string[],
  properties: Properties,
  validator: SettingsValidator,
  mistakes: string[],
): Record<string, unknown> {
  const values = new Map<string, unknown>()
  for (const set of sets) {
    const equals = set.indexOf('=')
    const name = set.slice(0, equals)
    if (equals < 1)
      mistakes.push('What follows --set must be name=value, such as start=0. It has no "=", or no name before it')
    else values.set(name, readText(name, set.slice(equals + 1), properties, validator))
  }
  return Object.fromEntries(values)
}

function readText(name: string, text: string, properties: Properties, validator: SettingsValidator): unknown {
  const fits = (value: unknown) => validator.checkOne(name, value).length === 0
  const value = parseJson(text)
  if (value === undefined) return text
  if (fits(value)) return value
  // Where neither is right, what is told is about the one that was meant.
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

/** How to give a setting that is missing. */
function remedyOf([name, ...inner]: readonly string[], values: object): string {
  if (name === undefined || inner.length > 0 || Object.hasOwn(values, name)) return ''
  return `: give it with --set ${name}=… or the variable ${settingVariable(name)}`
}

function listOf(properties: object): string {
  const names = Object.keys(properties)
  return names.length > 0 ? ` It has ${names.join(', ')}.` : ' It has none.'
}

function invalid(mistakes: readonly string[], options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_settings',
    `The settings are not right:\n${mistakes.map((one) => `  - ${one}`).join('\n')}`,
    options,
  )
}

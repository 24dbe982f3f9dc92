import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { didYouMean } from '../nearest-name.ts'
import type { SettingsSchema } from './manifest.ts'

/** A mistake in settings, or in their schema. */
export interface SchemaMistake {
  /** Where, as names and indexes from the outside inwards. */
  readonly path: readonly string[]
  /** What is wrong, without the value: it may be a secret. */
  readonly message: string
}

/** Checks values against a schema, and fills in its defaults where asked to. */
export interface SettingsValidator {
  /** Mistakes in all settings. Defaults are filled into `values`. */
  check(values: Record<string, unknown>): SchemaMistake[]
  /** Whether a value is right for one setting. */
  fits(name: string, value: unknown): boolean
}

/** Makes the validator of a schema that `checkSettingsSchema` has found right. */
export function createSettingsValidator(schema: SettingsSchema): SettingsValidator {
  const validate = createAjv(true).compile(schema)
  const properties = createAjv(false)
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (name: string): ValidateFunction => {
    const known = compiled.get(name)
    if (known) return known
    // References of the setting point into the schema around it.
    const made = properties.compile({
      ...schema,
      properties: { [name]: schema.properties?.[name] ?? {} },
      required: [],
    })
    compiled.set(name, made)
    return made
  }
  return {
    check(values) {
      validate(values)
      return (validate.errors ?? []).map((error) => explain(error, schema))
    },
    fits: (name, value) => validatorOf(name)({ [name]: value }),
  }
}

/** Finds what is wrong with a schema itself, its defaults included. */
export function checkSettingsSchema(schema: SettingsSchema): SchemaMistake[] {
  const ajv = createAjv(false)
  try {
    if (!ajv.validateSchema(schema))
      return (ajv.errors ?? []).map(({ instancePath, message }) => ({
        path: split(instancePath),
        message: `${message}`,
      }))
    ajv.compile(schema)
  } catch (error) {
    return [{ path: [], message: (error as Error).message.replace(/^strict mode: /, '') }]
  }
  const validator = createSettingsValidator(schema)
  return Object.entries(schema.properties ?? {}).flatMap(([name, { default: value }]) =>
    value === undefined || validator.fits(name, value)
      ? []
      : [{ path: ['properties', name, 'default'], message: 'the default is not allowed by the setting itself' }],
  )
}

/** Formats are notes for people here: no list of them is built in. */
function createAjv(useDefaults: boolean): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateFormats: false,
    useDefaults,
    logger: false,
  })
}

function explain({ instancePath, keyword, params, message }: ErrorObject, schema: SettingsSchema): SchemaMistake {
  const path = split(instancePath)
  if (keyword === 'required') return { path: [...path, params.missingProperty], message: 'is missing' }
  if (keyword === 'additionalProperties') {
    const name: string = params.additionalProperty
    const hint = path.length === 0 ? didYouMean(name, Object.keys(schema.properties ?? {})) : ''
    return { path: [...path, name], message: `is no setting.${hint}` }
  }
  if (keyword === 'enum')
    return {
      path,
      message: `must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`,
    }
  return { path, message: message ?? `fails "${keyword}"` }
}

function split(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

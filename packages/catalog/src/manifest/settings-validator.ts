import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { didYouMean } from '../nearest-name.ts'
import { explainErrors } from './explain-validation.ts'
import type { SettingsSchema } from './manifest.ts'

/** A mistake in settings, or in their schema. */
export interface SchemaMistake {
  /** Where, as names and indexes from the outside inwards. */
  readonly path: readonly string[]
  /** What is wrong, as the rest of a sentence that begins with where; without the value, which may be a secret. */
  readonly message: string
  /** The value that is wrong. It may be a secret. */
  readonly found?: { readonly value: unknown } | undefined
}

/** Checks values against a schema, and fills in its defaults where asked to. */
export interface SettingsValidator {
  /** Mistakes in all settings. Defaults are filled into `values`. */
  check(values: Record<string, unknown>): SchemaMistake[]
  /** Mistakes in one setting; the paths begin with its name. */
  checkOne(name: string, value: unknown): SchemaMistake[]
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
      return explainErrors(validate.errors ?? []).map(({ path, message, unknown, found }) =>
        unknown && path.length === 1
          ? { path, message: `${message}${hint(path[0]!, schema)}` }
          : { path, message, found },
      )
    },
    checkOne(name, value) {
      const validateOne = validatorOf(name)
      validateOne({ [name]: value })
      return explainErrors(validateOne.errors ?? [])
    },
  }
}

/**
 * Formats are notes for people here: no list of them is built in. Unknown keywords are found by `checkSettingsSchema`, with
 * their places, and `x-…` is free.
 */
export function createAjv(useDefaults: boolean): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    verbose: true,
    useDefaults,
    logger: false,
  })
}

function hint(name: string, { properties = {} }: SettingsSchema): string {
  const meant = didYouMean(name, Object.keys(properties))
  return meant === '' ? '' : `.${meant}`
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { didYouMean } from '../nearest-name.ts'
import { explainErrors } from './explain-validation.ts'
import type { SettingsSchema } from './manifest.ts'

export interface SchemaMistake {
  readonly path: readonly string[]
  /** Follows the path in a sentence. Without the value, which may be secret. */
  readonly message: string
  /** May be secret. */
  readonly found?: { readonly value: unknown } | undefined
}

export interface SettingsValidator {
  /** Fills defaults into `values`. */
  check(values: Record<string, unknown>): SchemaMistake[]
  /** Paths begin with the name. */
  checkOne(name: string, value: unknown): SchemaMistake[]
}

export function createSettingsValidator(schema: SettingsSchema): SettingsValidator {
  const validate = createAjv(true).compile(schema)
  const properties = createAjv(false)
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (name: string): ValidateFunction => {
    const known = compiled.get(name)
    if (known) return known
    // The setting may refer to definitions of the whole schema.
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

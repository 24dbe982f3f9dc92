import { UserError } from '../../../errors.ts'
import { parseProperties } from './properties.ts'

/** The settings of a `client.properties` file, and errors that say where in it something is wrong. */
export interface ClientSettings {
  get(key: string): string | undefined
  /** Keys with one of these beginnings. */
  keys(...beginnings: string[]): string[]
  /**
   * An error at a key: "FILE:LINE: KEY PROBLEM". It repeats no value: the caller does, where the value is no secret.
   * Without such a key, or for several, the file alone is the place.
   */
  invalid(key: string, problem: string, options?: ErrorOptions): UserError
}

export function parseClientSettings(text: string, file: string): ClientSettings {
  const properties = parseProperties(text)
  return {
    get: (key) => properties.get(key)?.value,
    keys: (...beginnings) => [...properties.keys()].filter((key) => beginnings.some((start) => key.startsWith(start))),
    invalid(key, problem, options) {
      const line = properties.get(key)?.line
      const place = line === undefined ? file : `${file}:${line}`
      return new UserError('invalid_kafka_config', `${place}: ${key} ${problem}`, options)
    },
  }
}

import { didYouMean } from '../nearest-name.ts'
import type { Manifest } from './manifest.ts'
import { settingVariable } from './setting-variable.ts'

const prefix = 'CONNECTOR_'

/**
 * A sentence for each environment variable that is named like a setting of the connector and belongs to none.
 *
 * @param places - Where those variables were set that come from a file: `.env:1`.
 */
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

import { didYouMean } from '../nearest-name.ts'
import type { Manifest } from './manifest.ts'
import { settingVariable } from './setting-variable.ts'

const prefix = 'CONNECTOR_'

/** A sentence for each environment variable that is named like a setting of the connector and belongs to none. */
export function explainUnknownVariables(
  { config }: Manifest,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const known = new Set(Object.keys(config.properties ?? {}).map(settingVariable))
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.has(name))
    .map((name) => `The environment variable ${name} belongs to no setting and is ignored.${didYouMean(name, known)}`)
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageFolder: string = fileURLToPath(new URL('..', import.meta.url))

/** All packages of the repository have one version. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version
}

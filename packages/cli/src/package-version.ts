import { readFileSync } from 'node:fs'

export function packageVersion(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}

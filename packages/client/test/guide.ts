import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/reading.md'), 'utf8')

/** The programs of the reading guide in one language. */
export function programs(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!)
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The programs of a guide in one language. */
export function programs(language: string, page = 'reading.md'): string[] {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides', page), 'utf8')
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!)
}

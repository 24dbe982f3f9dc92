import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The first block of a language on a page of `docs/guides`, with what differs in a test replaced.
 *
 * @throws {Error} the page no longer has the block, or something that is to be replaced.
 */
export async function readConfiguration(
  page: string,
  language: string,
  places: Readonly<Record<string, string>> = {},
): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/guides', page), 'utf8')
  const block = text.split(`\`\`\`${language}\n`)[1]?.split('```')[0]
  if (block === undefined) throw new Error(`${page} no longer has a block of ${language}.`)
  for (const place of Object.keys(places))
    if (!block.includes(place)) throw new Error(`${page} no longer has "${place}".`)
  return Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), block)
}

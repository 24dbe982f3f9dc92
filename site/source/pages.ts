import { dirname, join } from 'node:path/posix'
import { index } from './addresses.ts'
import { plainText, readPage } from './markdown.ts'

/** A page, or an entry that only leads to the pages below it. */
export type Entry = {
  title: string
  /** Path in the repository, such as `docs/guides/reading.md`. */
  file: string
  /** Those that the index of a folder, its README.md, lists. */
  entries: readonly Entry[]
}

export type Section = { title: string; entries: readonly Entry[] }

/** The text of a file in the repository. */
export type ReadFile = (file: string) => string

/** The sections of docs/README.md with the pages that they link to, in its order. */
export function readSections(read: ReadFile): Section[] {
  return read(index)
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      entries: entriesOf(index, section, read),
    }))
}

/** All pages of the sections, in order. */
export function listPages(sections: readonly Section[]): Entry[] {
  const withChildren = (entry: Entry): Entry[] => [entry, ...entry.entries.flatMap(withChildren)]
  return sections.flatMap(({ entries }) => entries.flatMap(withChildren))
}

function entriesOf(file: string, text: string, read: ReadFile): Entry[] {
  const seen = new Set([file])
  const found: Entry[] = []
  for (const { target, text: title } of readPage(text).links) {
    const page = join(dirname(file), target.replace(/#.*/, ''))
    if (target.includes(':') || seen.has(page) || !page.startsWith(`${dirname(file)}/`) || !page.endsWith('.md'))
      continue
    seen.add(page)
    const content = read(page)
    found.push({
      title: titleOf(title, content),
      file: page,
      entries: page.endsWith('/README.md') ? entriesOf(page, content, read) : [],
    })
  }
  return found
}

/** The text of the link, unless that is the number of a page. */
function titleOf(link: string, page: string): string {
  if (/^\d+$/.test(link)) return readPage(page).title
  const title = plainText(link)
  return link.startsWith('`') || title.includes('.') ? title : title[0]!.toUpperCase() + title.slice(1)
}

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { index, pageOf, siteAddress } from './addresses.ts'
import { readPage } from './markdown.ts'
import { type Entry, listPages, type ReadFile, type Section } from './pages.ts'

type Sources = {
  sections: readonly Section[]
  read: ReadFile
  /** Whether a path in the repository is a file. */
  isFile: (path: string) => boolean
  /** Where the site is served, with a slash at its end. */
  site: string
}

/**
 * Writes what language models read, by llmstxt.org: `llms.txt`, a list of the pages; `llms-full.txt`, all of them; and
 * each page as Markdown, next to the one that is made from it.
 */
export function writeTexts({ outDir, ...sources }: Sources & { outDir: string }): void {
  const introduction = introductionOf(withSiteAddresses('README.md', sources))
  const pages = [{ file: index, title: '', entries: [] }, ...listPages(sources.sections)].map(({ file }) => ({
    file,
    markdown: withSiteAddresses(file, sources),
  }))
  write(outDir, 'llms.txt', pageList(introduction, sources))
  write(outDir, 'llms-full.txt', ['# Headrace', ...introduction, ...pages.map(({ markdown }) => markdown)].join('\n\n'))
  for (const { file, markdown } of pages) write(outDir, pageOf(file), markdown)
}

function pageList([summary, ...details]: readonly string[], { sections, read, site }: Sources): string {
  const line = ({ title, file }: Entry) => `- [${title}](${site}${pageOf(file)}): ${readPage(read(file)).summary}`
  return [
    '# Headrace',
    `> ${summary}`,
    ...details,
    `[All pages in one file](${site}llms-full.txt)`,
    ...sections.map((section) => `## ${section.title}\n\n${listPages([section]).map(line).join('\n')}`),
  ].join('\n\n')
}

/** A page whose links work wherever it is read. */
function withSiteAddresses(file: string, { read, isFile, site }: Sources): string {
  return read(file).replaceAll(
    /\]\(([^()\s#][^()\s]*)\)/g,
    (_, target: string) => `](${siteAddress(file, target, isFile).replace(/^\//, site)})`,
  )
}

/** The paragraphs before the first section: what Headrace is, for whom, and what it needs. */
function introductionOf(readme: string): string[] {
  const paragraphs = readme.split('\n## ')[0]!.split('\n\n')
  return paragraphs
    .filter((text) => !/^[#<`]/.test(text))
    .map((text) => text.replaceAll('\n', ' ').replaceAll('**', ''))
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), `${text.trim()}\n`)
}

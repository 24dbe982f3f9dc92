import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { siteAddress } from './addresses.ts'
import { checkBuiltLinks } from './built-links.ts'
import { listPages, readSections } from './pages.ts'
import { writeTexts } from './texts.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false
const outDir = mkdtempSync(join(tmpdir(), 'headrace-site-'))
afterAll(() => rmSync(outDir, { recursive: true }))

test('links between pages stay on the site, others lead to the repository', () => {
  const from = (target: string) => siteAddress('docs/guides/reading.md', target, isFile)
  expect(from('concepts.md#unit')).toBe('/guides/concepts.md#unit')
  expect(from('templates/README.md')).toBe('/guides/templates/index.md')
  expect(from('../README.md')).toBe('/docs.md')
  expect(from('#curl')).toBe('#curl')
  expect(from('https://cel.dev')).toBe('https://cel.dev')
  expect(from('../../CHANGELOG.md')).toBe('https://github.com/headrace/headrace/blob/main/CHANGELOG.md')
  expect(from('../../examples/evm/')).toBe('https://github.com/headrace/headrace/tree/main/examples/evm')
})

test('the sections are those of docs/README.md, in its order', () => {
  const sections = readSections(read)
  const [guides, , internals] = sections
  expect(sections.map(({ title }) => title)).toEqual(['Guides', 'Reference', 'Internals'])
  expect(guides!.entries[0]).toEqual({ title: 'Concepts', file: 'docs/guides/concepts.md', entries: [] })
  const templates = guides!.entries.find(({ title }) => title === 'Templates')!
  expect(templates.entries[0]).toMatchObject({ title: 'blank', file: 'docs/guides/templates/blank.md' })
  const decisions = internals!.entries.find(({ title }) => title === 'Decisions')!
  expect(decisions.entries[1]!.title).toBe('2. The log is the database')
})

test('every page that llms.txt lists is there, and its links lead somewhere', () => {
  const site = 'https://example.org/base/'
  const sections = readSections(read)
  writeTexts({ outDir, site, sections, read, isFile })
  const lines = readFileSync(join(outDir, 'llms.txt'), 'utf8').split('\n')
  const pages = lines.flatMap((line) => line.match(/^- \[.+\]\((.+?)\): \S.*[.:]$/)?.[1] ?? [])
  expect(pages).toHaveLength(listPages(sections).length)
  const full = readFileSync(join(outDir, 'llms-full.txt'), 'utf8')
  for (const page of pages) {
    const text = readFileSync(join(outDir, page.slice(site.length)), 'utf8')
    expect(full).toContain(text.trim())
    for (const [, path] of text.matchAll(/\]\(https:\/\/example\.org\/base\/([^)#]*)/g))
      expect(statSync(join(outDir, path!)).isFile(), path).toBe(true)
  }
  expect(lines[2]).toMatch(/^> Headrace copies data .*record\.$/)
})

test('a built page with a link to a page or a heading that does not exist is reported', () => {
  const folder = join(outDir, 'built')
  mkdirSync(join(folder, 'guides'), { recursive: true })
  writeFileSync(
    join(folder, 'index.html'),
    '<a href="/base/guides/a">1</a><a href="/base/guides/a#b">2</a><a href="/base/guides/a#c">3</a><a href="/base/x">4</a><a href="/a">5</a>',
  )
  writeFileSync(join(folder, 'guides/a.html'), '<h2 id="b">B</h2><a href="../">6</a><a href="https://cel.dev">7</a>')
  expect(checkBuiltLinks(folder, '/base/')).toEqual([
    'index.html: "/base/guides/a#c" has no such heading.',
    'index.html: there is no "/base/x".',
    'index.html: there is no "/a".',
  ])
})

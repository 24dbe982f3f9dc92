import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { dirname, join as joinAddress } from 'node:path/posix'
import { index, repository } from '../../site/source/addresses.ts'
import { type Page, readPage } from '../../site/source/markdown.ts'
import { listPages, readSections } from '../../site/source/pages.ts'
import { parseArguments, printHelp } from '../build/arguments.js'

printHelp(`
node scripts/lint/check-links.ts

Checks that the links between the Markdown files of the repository lead to files and headings that exist, and that
docs/README.md lists every page. It has no options.
`)
parseArguments({ options: {} })

const root = join(import.meta.dirname, '../..')
const ownAddress = new RegExp(`^${repository}/(?:blob|tree|edit)/main/`)
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = new Map(markdownFiles().map((file) => [file, readPage(read(file))]))

const problems = [...Array.from(pages, ([file, page]) => brokenLinks(file, page)).flat(), ...unlistedPages()]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function brokenLinks(file: string, { links }: Page): string[] {
  return links.flatMap(({ target, line }) => {
    const own = ownAddress.test(target)
    if (!own && /^[a-z]+:/.test(target)) return []
    const [path, fragment] = target.replace(ownAddress, '').split('#')
    const linked = path === '' ? file : joinAddress(own ? '.' : dirname(file), decodeURI(path!))
    if (!existsSync(join(root, linked))) return [`${file}:${line}: there is no file "${linked}".`]
    const readme = statSync(join(root, linked)).isDirectory() ? joinAddress(linked, 'README.md') : linked
    const anchors = pages.get(readme)?.anchors
    if (!fragment || !anchors || anchors.has(fragment)) return []
    return [`${file}:${line}: ${readme} has no heading "#${fragment}".`]
  })
}

/** The site has only pages in its sidebar, so that a reader can find them. */
function unlistedPages(): string[] {
  const listed = new Set([index, ...listPages(readSections(read)).map(({ file }) => file)])
  return Array.from(pages.keys())
    .filter((file) => file.startsWith('docs/') && !listed.has(file))
    .map((file) => `${file}: neither ${index} nor a README.md that it links to lists this page.`)
}

function markdownFiles(): string[] {
  const excluded = ['node_modules', 'dist', 'generated', '.cache', '.headrace']
  return globSync(['*.md', '{.changeset,deploy,docs,packages,examples,scripts,site}/**/*.md', 'templates/*.md'], {
    cwd: root,
    exclude: (name: string) => excluded.includes(basename(name)),
  }).map((file) => file.replaceAll('\\', '/'))
}

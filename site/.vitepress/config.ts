import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'
import { type DefaultTheme, defineConfig, type HeadConfig } from 'vitepress'
import { pageOf, repository, siteAddress } from '../source/addresses.ts'
import { checkBuiltLinks } from '../source/built-links.ts'
import { anchorOf, readPage } from '../source/markdown.ts'
import { type Entry, listPages, readSections } from '../source/pages.ts'
import { writeTexts } from '../source/texts.ts'

const root = join(import.meta.dirname, '../..')
/** Where the site is served, with its base path. */
const site = `${process.env.SITE_URL || 'https://headrace.github.io/headrace'}`.replace(/\/*$/, '/')
const base = new URL(site).pathname
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false
const sections = readSections(read)
const promise = 'Ordered logs from sources that you do not control, without a lost or duplicate record.'
const picture = { url: `${site}social-card.png`, width: '1200', height: '630' }

/**
 * For VitePress, the root is that of the repository, but its dependencies are in this folder. Pages in docs/ are compiled
 * to modules that import Vue; while they are rendered, Node imports it. The development server finds other dependencies
 * when they are imported.
 */
const resolveDependencies: Plugin = {
  name: 'resolve-dependencies',
  enforce: 'pre',
  configResolved({ optimizeDeps }) {
    optimizeDeps.include = optimizeDeps.include?.filter((name) => !name.startsWith('vitepress >'))
  },
  resolveId(id, importer, options) {
    if (!/^vue(\/|$)/.test(id)) return
    if (options.ssr) return { id, external: true }
    if (importer?.endsWith('.md')) return this.resolve(id, join(root, 'site/index.md'), { ...options, skipSelf: true })
  },
}

export default defineConfig({
  // The pages stay in docs/, where GitHub shows them. The first page is this folder's index.md.
  srcDir: '..',
  srcExclude: ['!(docs|site)/**', '*.md', 'site/!(index.md)', 'site/*/**'],
  rewrites: pageOf,
  base,
  cleanUrls: true,
  // A copy of the repository without its history has no dates.
  lastUpdated: existsSync(join(root, '.git')),
  sitemap: { hostname: site },
  vite: {
    publicDir: join(root, 'site/public'),
    plugins: [resolveDependencies],
    // Not those that the pages of the packages import.
    optimizeDeps: { entries: ['site/.vitepress/theme/index.ts'] },
    server: { watch: { ignored: ['**/{node_modules,packages,.git,.cache}/**'] } },
  },

  lang: 'en',
  title: 'Headrace',
  description: promise,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}favicon.svg` }],
    ['meta', { name: 'theme-color', media: '(prefers-color-scheme: light)', content: '#ffffff' }],
    ['meta', { name: 'theme-color', media: '(prefers-color-scheme: dark)', content: '#0d1117' }],
  ],
  transformPageData(page) {
    if (page.filePath.startsWith('docs/')) page.description = readPage(read(page.filePath)).summary
  },
  transformHead({ pageData, title }): HeadConfig[] {
    if (pageData.isNotFound) return []
    const url = site + pageData.relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')
    const properties = {
      'og:type': 'website',
      'og:site_name': 'Headrace',
      'og:title': title,
      'og:description': pageData.description || promise,
      'og:url': url,
      'og:image': picture.url,
      'og:image:width': picture.width,
      'og:image:height': picture.height,
      'og:image:alt': promise,
    }
    return [
      ['link', { rel: 'canonical', href: url }],
      ...Object.entries(properties).map(([property, content]): HeadConfig => ['meta', { property, content }]),
      ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
    ]
  },

  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { haproxy: 'nginx' },
    // As on GitHub: braces are text.
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    config(md) {
      md.linkify.set({ fuzzyLink: false })
      md.core.ruler.push('links', ({ tokens, env }) => {
        const path: string | undefined = env.realPath ?? env.path
        if (!path) return
        const file = relative(root, path).replaceAll('\\', '/')
        for (const token of tokens.flatMap(({ children }) => children ?? []))
          if (token.type === 'link_open') token.attrSet('href', siteAddress(file, token.attrGet('href') ?? '', isFile))
      })
    },
  },

  themeConfig: {
    logo: '/favicon.svg',
    search: { provider: 'local' },
    nav: [
      ...sections.map(({ title, entries }) => ({
        text: title,
        link: linkOf(entries[0]!),
        activeMatch: `^/(${listPages([{ title, entries }])
          .map(({ file }) => pageOf(file).replace(/(index)?\.md$/, ''))
          .join('|')})$`,
      })),
      { text: 'Changelog', link: `${repository}/blob/main/CHANGELOG.md` },
    ],
    sidebar: [
      { text: 'All documentation', link: '/docs' },
      ...sections.map(({ title, entries }) => ({ text: title, items: entries.map(sidebarItem) })),
    ],
    outline: [2, 3],
    lastUpdated: { formatOptions: { dateStyle: 'medium' } },
    editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page on GitHub' },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: `<a href="${repository}/blob/main/LICENSE">Apache License 2.0</a>` },
    externalLinkIcon: false,
    notFound: {
      title: 'There is no such page',
      quote: 'It may have moved. Search for it, or begin at the first page.',
      linkText: 'First page',
      linkLabel: 'First page',
    },
  },

  buildEnd({ outDir }) {
    writeTexts({ outDir, site, sections, read, isFile })
    const problems = checkBuiltLinks(outDir, base)
    if (problems.length > 0) throw new Error(`Links that lead nowhere:\n${problems.join('\n')}`)
  },
})

function sidebarItem(entry: Entry): DefaultTheme.SidebarItem {
  const item = { text: entry.title, link: linkOf(entry) }
  return entry.entries.length > 0 ? { ...item, collapsed: true, items: entry.entries.map(sidebarItem) } : item
}

function linkOf({ file }: Entry): string {
  return `/${pageOf(file).replace(/(index)?\.md$/, '')}`
}

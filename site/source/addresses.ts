import { dirname, join } from 'node:path/posix'

/** The page that lists all others. */
export const index = 'docs/README.md'
export const repository = 'https://github.com/headrace/headrace'

/**
 * The page of the site that is made from a file: `guides/reading.md` of `docs/guides/reading.md`. The index of a folder
 * becomes `index.md`, that of the documentation `docs.md`, since the first page of the site is another.
 */
export function pageOf(file: string): string {
  if (file === 'site/index.md') return 'index.md'
  if (file === index) return 'docs.md'
  return file.replace(/^docs\//, '').replace(/README\.md$/, 'index.md')
}

/**
 * The address on the site of what a page of the documentation links to.
 *
 * @param file The page, such as `docs/guides/reading.md`
 * @param target As written, such as `../../examples/evm`
 * @param isFile Whether a path in the repository is a file
 */
export function siteAddress(file: string, target: string, isFile: (path: string) => boolean): string {
  const [, path, fragment] = target.match(/^([^#]*)(#.*)?$/)!
  if (path === '' || /^[a-z]+:/.test(path!)) return target
  const linked = join(dirname(file), path!)
  if (linked.startsWith('docs/') && linked.endsWith('.md')) return `/${pageOf(linked)}${fragment ?? ''}`
  return `${repository}/${isFile(linked) ? 'blob' : 'tree'}/main/${linked.replace(/\/$/, '')}${fragment ?? ''}`
}

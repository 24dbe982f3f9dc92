import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Checks that each link, image and script of the built pages is there, and each fragment of a link.
 *
 * @returns A line for each that is not
 */
export function checkBuiltLinks(folder: string, base: string): string[] {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file.replaceAll('\\', '/'), readFileSync(join(folder, file), 'utf8')]),
  )
  const ids = new Map(
    Array.from(pages, ([file, html]) => [file, new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id))]),
  )
  const problems: string[] = []
  for (const [file, html] of pages)
    for (const [, address] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const url = new URL(address!.replaceAll('&amp;', '&'), `https://site.invalid${base}${file}`)
      if (url.host !== 'site.invalid') continue
      const target = url.pathname.startsWith(base)
        ? builtFile(folder, decodeURI(url.pathname.slice(base.length)))
        : undefined
      const fragment = decodeURIComponent(url.hash.slice(1))
      if (target === undefined) problems.push(`${file}: there is no "${address}".`)
      else if (fragment && !ids.get(target)?.has(fragment)) problems.push(`${file}: "${address}" has no such heading.`)
    }
  return [...new Set(problems)]
}

/** The file that a web server answers a path with. */
function builtFile(folder: string, path: string): string | undefined {
  const candidates = [path, `${path}.html`, `${path}index.html`]
  return candidates.find((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.isFile())
}

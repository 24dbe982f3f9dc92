export type Link = {
  /** As written, such as `../guides/reading.md#node`. */
  target: string
  /** As written, such as `` `blank` ``; empty in HTML. */
  text: string
  /** From 1. */
  line: number
}

export type Page = {
  /** Its first heading. */
  title: string
  /** The first sentence outside of tables, lists and code blocks, without the marks of Markdown. May be empty. */
  summary: string
  /** Fragments that a link to the page may have. */
  anchors: ReadonlySet<string>
  links: readonly Link[]
}

/** A link of Markdown, or an address in an element of HTML. */
const linkPattern =
  /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?: "[^"]*")?\)|\b(?:href|src|srcset)="([^"]+)"/g
/** A heading, a table, a quotation, an image, an element of HTML, a list and what is indented in it, or an empty line. */
const notProse = /^([#|>!<\s]|[-*] |\d+\. |$)/

/** Reads what other pages and tools need of a page. What is in code blocks or code spans is no link. */
export function readPage(markdown: string): Page {
  const lines = withoutCodeBlocks(markdown).split('\n')
  const titles = lines.flatMap((line) => line.match(/^#{1,6} +(.*?) *$/)?.[1] ?? []).map(plainText)
  return {
    title: titles[0] ?? '',
    summary: firstSentence(lines),
    anchors: new Set(uniqueAnchors(titles)),
    links: linksOf(lines.join('\n')),
  }
}

/**
 * The anchor of a heading without the marks of Markdown, as GitHub makes it. The site uses the same, so that a link works
 * in both places.
 */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
}

/** Several headings with one text have a number after the anchor, from the second on. */
function uniqueAnchors(titles: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return titles.map((title) => {
    const anchor = anchorOf(title)
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

function withoutCodeBlocks(markdown: string): string {
  return markdown.replaceAll(/^( *)(```+)[^\n]*\n.*?^ *\2 *$/gms, (block) => block.replaceAll(/[^\n]/g, ''))
}

function linksOf(text: string): Link[] {
  // Spaces keep the positions of what remains.
  const masked = text.replaceAll(/(`+)[^`].*?\1/gs, (span) => span.replaceAll(/[[\]()"]/g, ' '))
  return Array.from(masked.matchAll(linkPattern), (match) => {
    const start = match.index + 1
    return {
      target: match[2] ?? match[3]!,
      text: text.slice(start, start + (match[1]?.length ?? 0)),
      line: text.slice(0, match.index).split('\n').length,
    }
  })
}

/** Shorter ones are words set apart, such as "Connector." before its definition. */
const shortestSentence = 12

function firstSentence(lines: readonly string[]): string {
  const start = lines.findIndex((line) => !notProse.test(line))
  if (start < 0) return ''
  const length = lines.slice(start).indexOf('')
  const paragraph = plainText(lines.slice(start, length < 0 ? undefined : start + length).join(' '))
  const end = paragraph.slice(shortestSentence).search(/[.:](?= |$)/)
  const sentence = end < 0 ? paragraph : paragraph.slice(0, shortestSentence + end)
  return `${sentence}.`
}

/** Removes the marks of Markdown within a line: links, emphasis and code spans. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(linkPattern, '$1')
    .replaceAll(/\*\*(.+?)\*\*/g, '$1')
    .replaceAll(/(?<!\w)[*_](.+?)[*_](?!\w)/g, '$1')
    .replaceAll('`', '')
}

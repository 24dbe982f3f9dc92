import type { Place } from '../source-places.ts'

/** From the first character of a statement to the `;` or `{` that ends it. */
export interface StatementSpan {
  readonly begin: Place
  readonly end: Place
}

/**
 * Finds the comment that belongs to a statement, without its marks: the one that ends on the line above, else the one
 * behind it on its last line. What a blank line parts from the statement is about something else.
 */
export function commentOf(lines: readonly string[], { begin, end }: StatementSpan): string | undefined {
  const isFirst = lines[begin.line - 1]!.slice(0, begin.column - 1).trim() === ''
  return (isFirst ? above(lines.slice(0, begin.line - 1)) : undefined) ?? behind(lines[end.line - 1]!.slice(end.column))
}

/** The comment at the end of these lines. */
function above(lines: readonly string[]): string | undefined {
  const first = lines.findLastIndex((text) => !text.trimStart().startsWith('//')) + 1
  if (first < lines.length) return plain(lines.slice(first).map((text) => text.trim().slice(2)))
  if (lines.at(-1)?.trimEnd().endsWith('*/') !== true) return undefined
  const block = lines.slice(lines.findLastIndex((text) => text.includes('/*'))).join('\n')
  const inner = /^\s*\/\*\*?(?<text>[\s\S]*)\*\/\s*$/.exec(block)?.groups?.text
  return inner === undefined ? undefined : plain(inner.split('\n').map((text) => text.trimStart().replace(/^\*/, '')))
}

function behind(rest: string): string | undefined {
  const found = /^\s*(?:\/\/(?<line>.*)|\/\*\*?(?<block>(?:(?!\*\/).)*)\*\/\s*)$/.exec(rest)
  return found?.groups && plain([found.groups.line ?? found.groups.block!])
}

/** Without the space that every line begins with, and blank lines around. */
function plain(lines: readonly string[]): string | undefined {
  const text = lines.map((line) => line.replace(/^ /, '').trimEnd()).join('\n')
  return text.replace(/^\n+|\n+$/g, '') || undefined
}

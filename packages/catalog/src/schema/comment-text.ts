/** In UTF-16 code units. */
export const commentLength = 4096

/**
 * The text of a comment from its lines without delimiters. A longer one is cut, and ends with `…`. Control characters
 * become spaces, because they could change what a terminal shows.
 *
 * @returns `undefined` if there is no text.
 */
export function commentText(lines: readonly string[]): string | undefined {
  const text = lines.map((line) => line.replace(/^ /, '').replaceAll(controls, ' ').trimEnd()).join('\n')
  return cut(text.trim()) || undefined
}

const controls = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}]/gu

function cut(text: string): string {
  if (text.length <= commentLength) return text
  // Half of a surrogate pair is not a character.
  const begin = text.slice(0, commentLength - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${begin.trimEnd()}…`
}

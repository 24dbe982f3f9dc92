/**
 * Applies a diff without line numbers to a text.
 *
 * @throws {Error} The old lines occur never, or more than once.
 */
export function applyChange(text: string, diff: string): string {
  const lines = diff.trimEnd().split('\n')
  const side = (sign: '-' | '+'): string =>
    lines
      .filter((line) => line === '' || line[0] === ' ' || line[0] === sign)
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const [before, ...others] = text.split(side('-'))
  if (others.length === 1) return before + side('+') + others[0]
  throw new Error(`There ${others.length === 0 ? 'is no place' : 'are several places'} for this change:\n${diff}`)
}

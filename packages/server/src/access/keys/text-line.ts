/** Returns what is wrong with a text, if anything is. The answer follows the name of the text. */
export function checkLine(text: string, most: number): string | undefined {
  if (text.trim() === '' || text.length > most)
    return `must have 1 to ${most} characters that are not all spaces. This one has ${text.length}.`
  const [hidden] = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.exec(text) ?? []
  if (hidden === undefined) return undefined
  const code = hidden.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `holds the character U+${code}. Allowed are 1 to ${most} printable characters on one line.`
}

/** The beginning and the end of a long hex value or name: `0x12345678…9abcdef0`. */
export function shortHex(value: string, kept = 8): string {
  return value.length <= 2 * kept + 4 ? value : `${value.slice(0, kept + 2)}…${value.slice(-kept)}`
}

/** The beginning of a text, on one line. */
export function beginning(text: string, length: number): string {
  const line = text.slice(0, length + 1).replace(/\s+/g, ' ')
  return text.length > length ? `${line.slice(0, length)}…` : line
}

export type Table = readonly (readonly string[])[]

/** The first row is the heading. Names may come from others, so control characters are escaped. */
export function formatTable(unsafe: Table): string {
  const rows = unsafe.map((row) => row.map(escapeHidden))
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) => cell.padEnd(widths[column]!)
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('')
}

/** Also escapes invisible characters, line breaks, and those that change the direction of text. */
function escapeHidden(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
}

export function formatFacts(facts: Readonly<Record<string, string>>): string {
  return formatTable(Object.entries(facts))
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** `3m ago` or `in 3m`. Times in ms since the Unix epoch. */
export function formatAge(time: number, now: number = Date.now()): string {
  const elapsed = Math.abs(now - time)
  const [letter, ms] = units.find(([, size]) => elapsed >= size) ?? units.at(-1)!
  const age = `${Math.floor(elapsed / ms)}${letter}`
  return time > now ? `in ${age}` : `${age} ago`
}

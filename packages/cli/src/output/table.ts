export type Table = readonly (readonly string[])[]

/** The first row is the heading. Escapes control characters, because names may come from others. */
export function formatTable(unsafe: Table): string {
  const rows = unsafe.map((row) => row.map(escapeHidden))
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** Escapes control characters, invisible ones, line breaks, and those that change the direction of text, as in JSON. */
function escapeHidden(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
}

export function formatFacts(facts: Readonly<Record<string, string>>): string {
  return formatTable(Object.entries(facts))
}

/**
 * Lays rows out in columns that begin at the same place. The first row is the heading. Names may come from others: what a
 * terminal would act on is shown as text.
 */
export function formatTable(unsafe: readonly (readonly string[])[]): string {
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

/** Control characters, those that change the direction of text or are not seen, and line breaks, as in JSON. */
function escapeHidden(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
}

/** Lays named values out, one a line, the values below each other. */
export function formatFacts(facts: Readonly<Record<string, string>>): string {
  return formatTable(Object.entries(facts))
}

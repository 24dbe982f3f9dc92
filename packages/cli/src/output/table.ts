/** Lays rows out in columns that begin at the same place. The first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[]): string {
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

/** Lays named values out, one a line, the values below each other. */
export function formatFacts(facts: Readonly<Record<string, string>>): string {
  return formatTable(Object.entries(facts))
}

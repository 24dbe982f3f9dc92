type Fields = Readonly<Record<string, unknown>> | null

/** The fields in which two messages differ, with what they are on either side. */
export interface FieldDifferences {
  readonly names: readonly string[]
  readonly expected: Fields
  readonly found: Fields
}

/** Compares messages in the form that readers get. */
export function fieldDifferences(expected: Fields, found: Fields): FieldDifferences {
  if (!expected || !found) return { names: [], expected, found }
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter(
    (name) => JSON.stringify(expected[name]) !== JSON.stringify(found[name]),
  )
  return { names, expected: pick(expected, names), found: pick(found, names) }
}

function pick(fields: NonNullable<Fields>, names: readonly string[]): NonNullable<Fields> {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
}

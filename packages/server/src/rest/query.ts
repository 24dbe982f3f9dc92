/** Parameters by name; those that are there several times as an array. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

export function parseQuery(text: string): Query {
  const query: Record<string, string | string[]> = Object.create(null)
  // It drops one question mark at the beginning. Any other belongs to the first name.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    const known = query[name]
    if (known === undefined) query[name] = value
    else if (typeof known === 'string') query[name] = [known, value]
    else known.push(value)
  }
  return query
}

export type Query = Readonly<Record<string, string | string[] | undefined>>

export function parseQuery(text: string): Query {
  const query: Record<string, string | string[]> = Object.create(null)
  // URLSearchParams drops one leading question mark. A second one is part of the name.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    const known = query[name]
    if (known === undefined) query[name] = value
    else if (typeof known === 'string') query[name] = [known, value]
    else known.push(value)
  }
  return query
}

/** Parameters by name; those that are there several times as an array. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

export function parseQuery(text: string): Query {
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const known = query[name]
    query[name] = known === undefined ? value : [known, value].flat()
  }
  return query
}

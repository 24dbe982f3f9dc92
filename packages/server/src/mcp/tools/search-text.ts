/** Whether the texts together contain every word, in any case. */
export function matchesSearch(search: string | undefined, texts: readonly (string | undefined)[]): boolean {
  if (search === undefined) return true
  const all = texts.join('\n').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

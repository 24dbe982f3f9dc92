/** ` Did you mean "…"?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  let hint = ''
  // Without this limit, names of three letters would all be near each other.
  let least = Math.min(name.length, Math.max(2, Math.floor(name.length / 3)) + 1)
  for (const candidate of known) {
    // The distance is at least the difference in length. A long name would take long to compare.
    if (Math.abs(name.length - candidate.length) >= least) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance >= least) continue
    least = distance
    hint = ` Did you mean "${candidate}"?`
  }
  return hint
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}

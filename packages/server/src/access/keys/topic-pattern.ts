/** `*` matches any characters, dots included. A regular expression could take exponential time. */
export function matchesTopic(pattern: string, topic: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let retry = 0
  while (t < topic.length) {
    if (pattern[p] === '*') {
      star = p++
      retry = t
    } else if (pattern[p] === topic[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++retry
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

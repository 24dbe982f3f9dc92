/** A topic name in which `*` matches any characters. */
export function isTopicPattern(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9._*-]{1,249}$/.test(value)
}

/** `*` matches any characters, dots included. A regular expression could take exponential time. */
export function matchesTopic(pattern: string, topic: string): boolean {
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop()
  if (last === undefined) return topic === pattern
  if (!topic.startsWith(first)) return false
  let end = first.length
  for (const part of parts) {
    const at = topic.indexOf(part, end)
    if (at < 0) return false
    end = at + part.length
  }
  return topic.endsWith(last) && topic.length - last.length >= end
}

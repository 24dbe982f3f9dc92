/** What of a value is shown at most, in characters. */
const longest = 80

/** A value of a setting as it may be shown in a message: of a URL only scheme and host, since it may hold a key. */
export function showSetting(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? withoutKeys(part) : part))
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** A password may hold any character, so nothing is shown of what comes before an `@`, or after the host. */
function withoutKeys(text: string): string {
  return text.replace(/(:\/\/)(.*)$/s, (_, start: string, rest: string) => {
    if (rest.includes('@')) return `${start}…`
    const host = /^[^/?#\s]*/.exec(rest)![0]
    return rest.length > host.length + 1 ? `${start}${host}/…` : `${start}${rest}`
  })
}

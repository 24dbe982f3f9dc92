/** Cuts an RFC 3339 time of the API to microseconds, in the shortest form: with 0, 3 or 6 digits of a fraction. */
export function cutToMicroseconds(time: string): string {
  if (time.length <= '2026-01-01T00:00:00.000000Z'.length) return time
  return time.replace(/(\.\d{6})\d+Z$/, '$1Z').replace(/(\.000000|(?<=\.\d{3})000)Z$/, 'Z')
}

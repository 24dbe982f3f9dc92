const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** `3m ago` or `in 3m`. Times in ms since the Unix epoch. */
export function formatAge(time: number, now: number = Date.now()): string {
  const elapsed = Math.abs(now - time)
  const [letter, ms] = units.find(([, size]) => elapsed >= size) ?? units.at(-1)!
  const age = `${Math.floor(elapsed / ms)}${letter}`
  return time > now ? `in ${age}` : `${age} ago`
}

/** `2026-08-21`, `2026-08-21 10:00` and `10:00` are times of the reader's time zone. */
export function toPosition(text: string, now: Date = new Date()): string {
  const [, day, hours, rest = ':00'] = /^(\d{4}-\d\d-\d\d)?[ T]?(?:(\d{1,2})(:\d\d(?::\d\d)?))?$/.exec(text) ?? []
  if (day === undefined && hours === undefined) return text
  const today = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  const date = new Date(`${day ?? today}T${two(Number(hours ?? 0))}${rest}`)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

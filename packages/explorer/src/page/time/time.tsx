import { useExplorer } from '../explorer.ts'

/** The age of a time, with the exact time on hover. */
export function Time({ value }: { readonly value: string }) {
  const { clock } = useExplorer()
  return (
    <time dateTime={value} title={exactTime(value)}>
      {age(clock.now.value - Date.parse(value))}
    </time>
  )
}

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** `12 s ago`; below a second, and for times that a clock puts into the future, `now`. */
export function age(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const unit = units.find(([length]) => seconds >= length)
  return unit ? `${Math.floor(seconds / unit[0])} ${unit[1]} ago` : 'now'
}

/** In the time zone of the reader, and in UTC as it was written. */
export function exactTime(value: string): string {
  return `${new Date(value).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })}\n${value}`
}

type Values = ArrayLike<number | null>

const day = 86_400

/** For each list, the sums of it and those before it. */
export function stacked(lists: readonly Values[]): (number | null)[][] {
  const sums: number[] = []
  return lists.map((values) =>
    Array.from(values, (value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return value === null ? null : sums[index]
    }),
  )
}

/** The width of the last bar, in seconds: that of the one before it. */
export function lastWidth(seconds: Values): number {
  const last = seconds.length - 1
  return last > 0 ? seconds[last]! - seconds[last - 1]! : 3600
}

/** The place of the bar at a time: the last one that does not begin later. */
export function placeAt(seconds: Values, time: number): number {
  let [low, high] = [0, seconds.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (seconds[middle]! <= time) low = middle
    else high = middle - 1
  }
  return low
}

/** Days that begin or end summer time are an hour shorter or longer. */
export function areDays(seconds: Values): boolean {
  return seconds.length > 1 && lastWidth(seconds) >= day - 3600
}

/** Of the time axis before `end`, in the time zone of the reader. `step` is the distance of two labels, in seconds. */
export function labelsOf(seconds: readonly number[], step: number, end: number): string[] {
  return seconds.map((second) => {
    // The frame would cut the label of a time near the end.
    if (second > end - step * 0.4) return ''
    const date = new Date(second * 1000)
    const startsDay = date.getHours() + date.getMinutes() + date.getSeconds() === 0
    return step >= day || (startsDay && step >= 60) ? dateText(date) : clockText(date, step < 60)
  })
}

/** `24 Nov 17:00`, or the day alone. */
export function timeLabel(second: number, isDay = false): string {
  const date = new Date(second * 1000)
  if (isDay) return dateText(date)
  return `${dateText(date)} ${clockText(date, second % 60 !== 0)}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function dateText(date: Date): string {
  return `${date.getDate()} ${months[date.getMonth()]}`
}

function clockText(date: Date, withSeconds: boolean): string {
  const parts = [date.getHours(), date.getMinutes(), ...(withSeconds ? [date.getSeconds()] : [])]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** With a comma between thousands. Also for 64-bit integers, which JSON carries as text. */
export function grouped(value: number | string): string {
  return String(value).replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','))
}

const scales = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** Three digits at most: `1.24 M`. */
export function short(value: number): string {
  // What rounds to a thousand has the next scale.
  const scale = scales.find(([factor]) => Math.abs(value) >= factor * 0.9995)
  return scale ? `${threeDigits(value / scale[0])} ${scale[1]}` : threeDigits(value)
}

function threeDigits(value: number): string {
  const size = Math.abs(value)
  if (Number.isInteger(value) || size >= 100) return String(Math.round(value))
  return value.toFixed(size >= 10 ? 1 : 2).replace(/\.?0+$/, '')
}

export function bytes(value: number): string {
  return value < 1000 ? `${value} B` : `${short(value)}B`
}

/** `7 d`, `12 h`; a duration in ms. */
export function duration(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ] as const
  const unit = units.find(([length]) => ms >= length && ms % length === 0) ?? units.find(([length]) => ms >= length)
  return unit ? `${threeDigits(ms / unit[0])} ${unit[1]}` : `${ms} ms`
}

/** Since the Unix epoch, from RFC 3339 in UTC. Digits after the sixth are cut off. */
export function toMicroseconds(time: string): bigint {
  // 19 characters up to the seconds. Between the dot and the Z are 3, 6 or 9 digits.
  const seconds = Date.parse(`${time.slice(0, 19)}Z`) / 1000
  const fraction = time.length === 20 ? 0 : Number(time.slice(20, -1).padEnd(6, '0').slice(0, 6))
  const micros = seconds * 1_000_000 + fraction
  return Number.isSafeInteger(micros) ? BigInt(micros) : BigInt(seconds) * 1_000_000n + BigInt(fraction)
}

/** In the form of the API: with 0, 3 or 6 digits. */
export function fromMicroseconds(micros: bigint): string {
  const fraction = Number(((micros % 1_000_000n) + 1_000_000n) % 1_000_000n)
  const text = new Date(Number((micros - BigInt(fraction)) / 1000n)).toISOString().slice(0, 19)
  if (fraction === 0) return `${text}Z`
  const digits = `${fraction}`.padStart(6, '0')
  return `${text}.${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`
}

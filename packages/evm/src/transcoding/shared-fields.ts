// The fields that several messages share, without their tags. One without bytes is not written.

/** Limit of `google.protobuf.Timestamp`. */
export const lastSecond: number = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000

/** A `google.protobuf.Timestamp`. */
export function timeField(seconds: number): Uint8Array {
  const value = numberField(seconds)
  return value.length === 0 ? Uint8Array.of(0) : Uint8Array.of(value.length + 1, secondsTag, ...value)
}

export function numberField(value: number): Uint8Array {
  const bytes: number[] = []
  for (let left = value; left > 0; left = Math.floor(left / 128)) bytes.push(left < 128 ? left : (left % 128) | 128)
  return Uint8Array.from(bytes)
}

/** Of ASCII characters, less than 128. */
export function textField(text: string): Uint8Array {
  // In memory of its own: what is sent to a thread is copied with all of its memory.
  const field = Buffer.allocUnsafeSlow(text.length + 1)
  field[0] = text.length
  field.write(text, 1, 'latin1')
  return field
}

const secondsTag = 8

/** `<major>.<minor>.<patch>` without leading zeros; `undefined` for other texts. */
export function parseVersion(text: string): readonly [major: number, minor: number, patch: number] | undefined {
  const match = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(text)
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined
}

/**
 * Negative if `a` is older.
 *
 * @throws {TypeError} one is not a version.
 */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a)
  const right = parseVersion(b)
  if (!left || !right) throw new TypeError(`"${left ? b : a}" is not a version.`)
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}

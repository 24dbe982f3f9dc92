/** A result as one line of JSON. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

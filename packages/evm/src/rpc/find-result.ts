/**
 * Finds the result in a JSON-RPC answer without parsing it: between the members that may be around it, which nodes keep
 * short. Who parses the result must refuse it if it is not exactly one JSON value.
 *
 * @returns `undefined`: the answer has another form, such as that of an error, or the result is no object or list.
 */
export function findResult(body: Buffer): Buffer | undefined {
  const head = start.exec(body.toString('latin1', 0, mostAround))
  const rest = Math.max(0, body.length - mostAround)
  const tail = end.exec(body.toString('latin1', rest))
  if (!head || !tail) return undefined
  const from = head[0].length
  const to = rest + tail.index
  return from < to && openings.includes(body[from]!) ? body.subarray(from, to) : undefined
}

/** Of an object or a list. Next to another result, such as `null`, some nodes send an error. */
const openings = Buffer.from('{[')
/** In bytes. */
const mostAround = 256
const value = '(?:"[^"\\\\]*"|-?[\\d.]+|null|true|false)'
const other = `"error"\\s*:\\s*null|"(?!result"|error")[^"\\\\]*"\\s*:\\s*${value}`
const start = new RegExp(`^\\s*\\{\\s*(?:(?:${other})\\s*,\\s*)*"result"\\s*:\\s*`)
const end = new RegExp(`\\s*(?:,\\s*(?:${other})\\s*)*\\}\\s*$`)

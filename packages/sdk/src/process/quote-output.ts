const quotedBytes = 200

/** Quotes the first line of bytes that are text; `undefined` for other bytes. */
export function quoteText(bytes: Buffer): string | undefined {
  const line = firstLine(bytes.subarray(0, quotedBytes))
  const text = line.toString('utf8')
  if (text.trim() === '' || !isText(text)) return undefined
  return JSON.stringify(line.length === bytes.length || line.length < quotedBytes ? text : `${text}…`)
}

export function quoteBytes(bytes: Buffer): string {
  const shown = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return bytes.length > 16 ? `${shown} …` : shown
}

function firstLine(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== lineFeed && byte !== carriageReturn)
  const rest = bytes.subarray(Math.max(0, start))
  const end = rest.findIndex((byte) => byte === lineFeed || byte === carriageReturn)
  return end < 0 ? rest : rest.subarray(0, end)
}

/** The last character may be cut off. */
function isText(text: string): boolean {
  return !/[\p{Cc}\ufffd]/u.test(text.replaceAll('\t', ' ').replace(/\ufffd$/u, ''))
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

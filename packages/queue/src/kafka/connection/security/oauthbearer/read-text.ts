import type { Readable } from 'node:stream'

/** Rejects, and destroys the stream, if it has more bytes. */
export async function readText(stream: Readable, maxBytes: number = 1024 * 1024): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw new RangeError(`it is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

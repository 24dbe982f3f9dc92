import { noFrame } from './child-errors.ts'
import { quoteText } from './quote-output.ts'

const lengthBytes = 4

/**
 * Cuts what a child writes into frames and gives the content of each, a view. `chunks` is asked for more only when the
 * frames before have been taken: a reader that waits makes the child wait.
 *
 * @throws {UserError} `child_protocol`: a length that no frame may have, as text written to stdout gives.
 * @throws {CutOffFrameError}
 */
export async function* readFrames(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Buffer[] = []
  let heldBytes = 0
  let wantedBytes = lengthBytes
  for await (const chunk of chunks) {
    held.push(chunk)
    heldBytes += chunk.length
    if (heldBytes < wantedBytes) continue
    const bytes = held.length === 1 ? chunk : Buffer.concat(held, heldBytes)
    let at = 0
    for (;;) {
      wantedBytes = lengthBytes
      if (bytes.length - at < lengthBytes) break
      const length = bytes.readUInt32BE(at)
      if (length > limitBytes) throw noFrame(bytes.subarray(at), limitBytes)
      wantedBytes += length
      if (bytes.length - at < wantedBytes) break
      yield bytes.subarray(at + lengthBytes, at + wantedBytes)
      at += wantedBytes
    }
    held = at < bytes.length ? [bytes.subarray(at)] : []
    heldBytes = bytes.length - at
  }
  if (heldBytes > 0) throw new CutOffFrameError(Buffer.concat(held, heldBytes), wantedBytes)
}

/** What the child wrote ends within a frame. The message says how. */
export class CutOffFrameError extends Error {
  constructor(bytes: Buffer, wantedBytes: number) {
    const text = quoteText(bytes)
    super(
      text ? `It wrote text to stdout: ${text}.` : `It had written ${bytes.length} of ${wantedBytes} bytes of a frame.`,
    )
  }
}

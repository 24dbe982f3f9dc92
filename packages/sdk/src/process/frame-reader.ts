import { noFrame } from './child-errors.ts'
import { watchChunks } from './chunk-watch.ts'
import { quoteText } from './quote-output.ts'

const lengthBytes = 4

export interface FrameLimits {
  /** Of a frame, its length not counted. */
  readonly bytes: number
  /** How long the rest of a frame may be waited for without a byte of it, in ms. */
  readonly silenceMs: number
}

/**
 * Cuts what a child writes into frames and gives the content of each, a view. `chunks` is asked for more only when the
 * frames before have been taken: a reader that waits makes the child wait.
 *
 * @throws {UserError} `child_protocol`: a length that no frame may have, as text written to stdout gives.
 * @throws {CutOffFrameError}
 * @throws {ChildStalledError} the rest of a frame does not come.
 */
export async function* readFrames(
  chunks: AsyncIterable<Buffer>,
  limits: FrameLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Buffer[] = []
  let heldBytes = 0
  let wantedBytes = lengthBytes
  const watch = { silenceMs: limits.silenceMs, partOfFrame: () => ({ bytes: heldBytes, wantedBytes }) }
  for await (const chunk of watchChunks(chunks, watch)) {
    held.push(chunk)
    heldBytes += chunk.length
    if (heldBytes < wantedBytes) continue
    const bytes = held.length === 1 ? chunk : Buffer.concat(held, heldBytes)
    let at = 0
    for (;;) {
      wantedBytes = lengthBytes
      if (bytes.length - at < lengthBytes) break
      const length = bytes.readUInt32BE(at)
      if (length > limits.bytes) throw noFrame(bytes.subarray(at), limits.bytes)
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

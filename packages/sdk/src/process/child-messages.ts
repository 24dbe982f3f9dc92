import { settledWithin } from '../runtime/settled.ts'
import { ChildEndedError, ChildStalledError, noFrame, quoteText, unreadableFrame } from './child-errors.ts'
import type { Child } from './child-process.ts'
import { type ChildMessage, decodeChildMessage, frameLimitBytes } from './process-message.ts'

const endedMs = 1000

export interface ChildMessages {
  next(): Promise<ChildMessage>
  /** Discards the remaining output, so that the child does not block on a full pipe. Never rejects. */
  drain(): Promise<void>
}

export function childMessages(child: Child, frameMs: number): ChildMessages {
  // Keeps stdout open at the end of the iteration, so that `drain` can read it.
  const chunks = child.stdout.iterator({ destroyOnReturn: false })
  const frames = readFrames(chunks, { bytes: frameLimitBytes, silenceMs: frameMs })
  return {
    async next() {
      const frame = await nextFrame(child, frames)
      try {
        const message = decodeChildMessage(frame)
        if (message.kind !== 'unknown') return message
      } catch (error) {
        throw unreadableFrame(frame, (error as Error).message)
      }
      throw unreadableFrame(frame, 'its message is unknown')
    },
    async drain() {
      await frames.return()
      child.stdout.resume()
    },
  }
}

async function nextFrame(child: Child, frames: ReturnType<typeof readFrames>): Promise<Uint8Array> {
  let remainder: string | undefined
  try {
    const { done, value } = await frames.next()
    if (!done) return value
  } catch (error) {
    if (!(error instanceof CutOffFrameError)) throw error
    remainder = error.message
  }
  await settledWithin(child.ended, endedMs)
  throw new ChildEndedError(child, remainder)
}

const lengthBytes = 4

interface FrameLimits {
  readonly bytes: number
  /** How long a child may write nothing within a frame, in ms. Silence between frames is not limited. */
  readonly silenceMs: number
}

/** It reads on only when all frames were consumed. Contents are views. */
export async function* readFrames(
  chunks: AsyncIterable<Buffer>,
  limits: FrameLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { silenceMs } = limits
  const source = chunks[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let heldBytes = 0
  let wantedBytes = lengthBytes
  let isStalled = false
  try {
    for (;;) {
      const next = source.next()
      isStalled = heldBytes > 0 && !(await settledWithin(next, silenceMs))
      if (isStalled) throw new ChildStalledError({ bytes: heldBytes, wantedBytes, silenceMs })
      const { done, value: chunk } = await next
      if (done) break
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
  } finally {
    const ended = source.return?.()
    // After a stall `return` would wait for the missing chunk.
    if (!isStalled) await ended
  }
  if (heldBytes > 0) throw new CutOffFrameError(Buffer.concat(held, heldBytes), wantedBytes)
}

class CutOffFrameError extends Error {
  constructor(bytes: Buffer, wantedBytes: number) {
    const text = quoteText(bytes)
    super(
      text ? `It wrote text to stdout: ${text}.` : `It had written ${bytes.length} of ${wantedBytes} bytes of a frame.`,
    )
  }
}

import { settledWithin } from '../runtime/settled-within.ts'
import { ChildEndedError, unreadableFrame } from './child-errors.ts'
import type { Child } from './child-process.ts'
import { decodeChildMessage } from './decode-child-message.ts'
import { CutOffFrameError, readFrames } from './frame-reader.ts'
import { type ChildMessage, frameLimitBytes } from './process-message.ts'

/** How long a child that has closed its stdout may take to end before it is not waited for, in ms. */
const endedMs = 1000

/** What a child writes. */
export interface ChildMessages {
  /**
   * @throws {ChildEndedError} there is no more.
   * @throws {ChildStalledError} there is no more of a frame.
   * @throws {UserError} `child_protocol`
   */
  next(): Promise<ChildMessage>
  /** Reads to the end what nobody wants, so that the child does not wait for a reader. Never rejects. */
  drain(): Promise<void>
}

/** `frameMs` is how long the rest of a frame may be waited for. */
export function childMessages(child: Child, frameMs: number): ChildMessages {
  // The iterator leaves stdout open when it is given up: it is drained then.
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
      throw unreadableFrame(frame, 'it holds nothing that is known here')
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

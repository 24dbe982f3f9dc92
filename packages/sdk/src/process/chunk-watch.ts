import { settledWithin } from '../runtime/settled-within.ts'
import { ChildStalledError } from './child-errors.ts'

export interface ChunkWatch {
  /** How long the rest of a frame may be waited for without a byte of it, in ms. */
  readonly silenceMs: number
  /** What there is of a frame. Between frames that is nothing, and the child may be silent. */
  partOfFrame(): { readonly bytes: number; readonly wantedBytes: number }
}

/**
 * Gives what a child writes on, chunk by chunk. A child that does not end a frame would otherwise look like one whose
 * source has nothing new.
 *
 * @throws {ChildStalledError}
 */
export async function* watchChunks(
  chunks: AsyncIterable<Buffer>,
  { silenceMs, partOfFrame }: ChunkWatch,
): AsyncGenerator<Buffer, void, undefined> {
  const source = chunks[Symbol.asyncIterator]()
  let stalled = false
  try {
    for (;;) {
      const asked = source.next()
      const part = partOfFrame()
      stalled = part.bytes > 0 && !(await settledWithin(asked, silenceMs))
      if (stalled) throw new ChildStalledError({ ...part, silenceMs })
      const { done, value } = await asked
      if (done) return
      yield value
    }
  } finally {
    const ended = source.return?.()
    // It would end with the chunk that does not come.
    if (!stalled) await ended
  }
}

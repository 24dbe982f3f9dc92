import { randomUUID } from 'node:crypto'
import { type Checkpoint, readCheckpoint } from '@headrace/catalog'
import type { Queue, Transaction, Writer } from '@headrace/queue'

/** The one writer of a run, which can be opened again under the run's claim. */
export interface RunWriter {
  readonly id: string
  begin(): Transaction
  /** Opens the writer anew and reads what was committed last. */
  reopen(): Promise<Checkpoint | undefined>
  close(): Promise<void>
}

/**
 * Claims a writer id for this run, fences every earlier writer of it, and only then reads its newest checkpoint: from
 * here on nobody else can move it.
 *
 * @throws {FencedError}
 */
export async function openRunWriter(
  queue: Queue,
  id: string,
): Promise<{ writer: RunWriter; checkpoint: Checkpoint | undefined }> {
  const claim = randomUUID()
  let current: Writer
  const open = async (): Promise<Checkpoint | undefined> => {
    current = await queue.openWriter({ id, claim })
    return readCheckpoint(queue, id)
  }
  const checkpoint = await open()
  const writer = { id, begin: () => current.begin(), reopen: open, close: () => current.close() }
  return { writer, checkpoint }
}

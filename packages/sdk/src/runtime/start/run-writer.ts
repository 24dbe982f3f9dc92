import { randomUUID } from 'node:crypto'
import { type Checkpoint, readCheckpoint } from '@headrace/catalog'
import type { Queue, Transaction, Writer, WriterOptions } from '@headrace/queue'

export interface RunWriter {
  readonly id: string
  readonly claim: string
  begin(): Transaction
  /** Opens the writer again and reads the last committed checkpoint. */
  reopen(): Promise<Checkpoint | undefined>
  checkClaim(): Promise<void>
  /** Aborts an open transaction and closes the writer. It cannot be opened again. */
  close(): Promise<void>
}

/** Claims a writer id, fences earlier writers of it, and then reads its checkpoint, which can no longer change. */
export async function openRunWriter(
  queue: Queue,
  id: string,
  compression: NonNullable<WriterOptions['compression']> = new Map(),
): Promise<{ readonly writer: RunWriter; readonly checkpoint: Checkpoint | undefined }> {
  const claim = randomUUID()
  let current: Writer | undefined
  let closed = false

  const open = async (): Promise<Checkpoint | undefined> => {
    const opened = await queue.openWriter({ id, claim, compression })
    if (closed) {
      await opened.close()
      throw new Error(`The writer "${id}" was closed while it was being opened.`)
    }
    current = opened
    return readCheckpoint(queue, id)
  }
  const close = async (): Promise<void> => {
    closed = true
    await current?.close()
  }

  try {
    const checkpoint = await open()
    const writer = {
      ...{ id, claim, reopen: open, close },
      begin: () => current!.begin(),
      checkClaim: () => current!.checkClaim(),
    }
    return { writer, checkpoint }
  } catch (error) {
    await close()
    throw error
  }
}

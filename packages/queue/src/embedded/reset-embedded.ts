import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Queue } from '../queue.ts'
import { openExclusively } from './diagnosis/repair-queue.ts'
import { createEmbeddedQueue } from './embedded-queue.ts'

export interface ResetEmbeddedOptions {
  readonly directory: string
  /** Topics to copy to the new queue. Unknown names are ignored. */
  readonly keep: readonly string[]
}

/** Replaces the file of a queue by a new one, atomically. */
export async function resetEmbedded({ directory, keep }: ResetEmbeddedOptions): Promise<void> {
  const folder = join(directory, 'new')
  rmSync(folder, { recursive: true, force: true })
  try {
    await createNewQueue(directory, folder, keep)
    const old = openExclusively(join(directory, 'queue.db'))
    try {
      renameSync(join(folder, 'queue.db'), join(directory, 'queue.db'))
    } finally {
      old.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function createNewQueue(directory: string, folder: string, keep: readonly string[]): Promise<void> {
  const from = await createEmbeddedQueue({ directory, create: false })
  try {
    const to = await createEmbeddedQueue({ directory: folder, create: true })
    try {
      await copyTopics(from, to, keep)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function copyTopics(from: Queue, to: Queue, names: readonly string[]): Promise<void> {
  for (const { name, cleanup, partitions } of await from.describe(names)) {
    await to.createTopics([{ name, partitions: partitions.length, ...(cleanup && { cleanup }) }])
    for (const [partition, { earliest }] of partitions.entries()) {
      for (let offset = earliest; ; ) {
        const { batches, next, end } = await from.read({ topic: name, partition, offset }, { maxBytes: readBytes })
        await to.append(batches.flatMap((batch) => [...batch.records()]))
        if (next === end) break
        offset = next
      }
    }
  }
}

const readBytes = 1 << 20

import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Queue } from '../queue.ts'
import { openExclusively } from './diagnosis/repair-queue.ts'
import { createEmbeddedQueue } from './embedded-queue.ts'
import type { EngineOptions } from './open-engine.ts'

/** Replaces the file of a queue by a new one, atomically. The topics to keep are copied, and unknown names ignored. */
export async function resetEmbedded(directory: string, keep: readonly string[]): Promise<void> {
  const folder = join(directory, 'new')
  rmSync(folder, { recursive: true, force: true })
  try {
    await withQueue({ directory, create: false }, (from) =>
      withQueue({ directory: folder, create: true }, (to) => copyTopics(from, to, keep)),
    )
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

async function withQueue(options: EngineOptions, work: (queue: Queue) => Promise<void>): Promise<void> {
  const queue = await createEmbeddedQueue(options)
  try {
    await work(queue)
  } finally {
    await queue.close()
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

import { hostname } from 'node:os'
import { decodeClaim, encodeClaim, ownersTopic } from '../../claim.ts'
import { FencedError } from '../../errors.ts'
import type { Queue, WriterOptions } from '../../queue.ts'
import { createTopics } from '../admin/create-topics.ts'
import type { Cluster } from '../connection/cluster.ts'
import { latest } from '../fetch/latest.ts'

/** Claims the id before a writer is opened. InitProducerId always succeeds, so the newest claim decides between runs. */
export async function claimWriter(cluster: Cluster, append: Queue['append'], writer: WriterOptions): Promise<void> {
  const { id, claim } = writer
  await createTopics(cluster, [{ name: ownersTopic, cleanup: 'compact' }])
  const time = Date.now()
  const value = Buffer.from(encodeClaim({ claim, host: hostname(), time }))
  await append([{ topic: ownersTopic, key: Buffer.from(id), value, time }])
}

export async function checkClaim(cluster: Cluster, { id, claim }: WriterOptions): Promise<void> {
  const record = await latest(cluster, { topic: ownersTopic, partition: 0 }, Buffer.from(id))
  const newest = record?.value ? decodeClaim(Buffer.from(record.value).toString()) : undefined
  if (newest?.claim !== claim) throw new FencedError(id, { by: newest })
}

import {
  type Checkpoint,
  type ConnectorTopic,
  checkpointKey,
  checkpointPartition,
  checkTopics,
  createSystemTopics,
  decodeCheckpoint,
  type FoundRecord,
  findLast,
  type NextSeqs,
  readCheckpoint,
  registerTopics,
  resolveTopics,
  systemTopics,
  topicRegistrations,
} from '@headrace/catalog'
import {
  type Compression,
  PositionLostError,
  type Queue,
  type TopicDescription,
  UserError,
  unlessAborted,
} from '@headrace/queue'
import { readBackwards } from '../revert/read-backwards.ts'
import type { RunOptions } from '../run-options.ts'
import { type MessageTopic, messageTopics } from './message-topic.ts'
import { openRunWriter, type RunWriter } from './run-writer.ts'

export interface StartedRun {
  readonly writer: RunWriter
  readonly checkpoint: Checkpoint | undefined
  readonly topics: ReadonlyMap<string, MessageTopic>
}

/**
 * Makes a run the owner of its topics. The order of the steps matters: a refused run fences no other, and the
 * checkpoint is read when no earlier run can change it.
 *
 * @throws {UserError} `schema_mismatch`, `registration_refused`, `incompatible_schema`, `topic_mismatch`,
 *   `checkpoint_behind`
 * @throws {FencedError}
 */
export async function startRun(options: RunOptions): Promise<StartedRun> {
  const { connector, project, settings, queue, signal, log, publishAgain } = options
  const { instance, writerId, topics: resolved } = resolveTopics(project, settings, options.instance)
  const topics = messageTopics(connector.schema, project, resolved, queue)
  const registrations = topicRegistrations(project, instance, resolved)
  const newTopics = options.newTopics === true || project.manifest.declaresTopicVersion

  await createSystemTopics(queue)
  await checkTopics(queue, registrations, { newTopics, places: project.schema.places })
  const names = resolved.map(({ name }) => name)
  const published = publishAgain ? undefined : await readPublishedEnds(queue, names)
  if (published) await checkBeforeOpening(queue, writerId, published)
  // A run that must stop does not fence the one before.
  signal.throwIfAborted()
  const { writer, checkpoint } = await openRunWriter(queue, writerId, compressionOf(resolved))
  try {
    if (published) checkNotBehind(writerId, checkpoint, published)
    await queue.createTopics(resolved.map(({ name, partitions }) => ({ name, partitions })))
    const start = published ? checkpoint : continueAfter(await readPublishedEnds(queue, names), checkpoint)
    await registerTopics(queue, registrations, { lastUnit: start?.unit ?? 0 })
    if (start !== checkpoint)
      log.warn({ writerId, unit: start?.unit }, 'publishing again after records that the checkpoint does not know')
    return { writer, checkpoint: start, topics }
  } catch (error) {
    await writer.close()
    throw error
  }
}

function compressionOf(topics: readonly ConnectorTopic[]): ReadonlyMap<string, Compression> {
  return new Map(topics.flatMap(({ name, compression }) => (compression ? [[name, compression] as const] : [])))
}

/** An abort resolves it with `undefined` at once, because a queue that does not answer can take minutes. */
export async function startUnlessAborted(options: RunOptions): Promise<StartedRun | undefined> {
  const { signal } = options
  if (signal.aborted) return undefined
  const starting = startRun(options)
  const run = await unlessAborted(starting, signal)
  if (!run) starting.then(({ writer }) => writer.close()).catch(() => {})
  return run
}

interface PublishedEnds {
  readonly unit: number
  readonly nextSeq: NextSeqs
  readonly time: Checkpoint['time']
}

async function readPublishedEnds(queue: Queue, topics: readonly string[]): Promise<PublishedEnds> {
  const nextSeq: Record<string, number[]> = {}
  const time: Record<string, number[]> = {}
  let newest = 0
  for (const topic of await queue.describe(topics)) {
    const last = await Promise.all(topic.partitions.map((_, partition) => readLast(queue, topic, partition)))
    nextSeq[topic.name] = last.map(([record]) => (record?.seq ?? -1) + 1)
    time[topic.name] = last.map(([record]) => record?.time ?? 0)
    for (const [record] of last) newest = Math.max(newest, record?.unit ?? 0)
  }
  return { unit: newest, nextSeq, time }
}

async function readLast(queue: Queue, topic: TopicDescription, partition: number): Promise<FoundRecord[]> {
  try {
    return [...(await findLast(queue, topic, partition, 1))]
  } catch (error) {
    if (!(error instanceof PositionLostError) || error.earliest <= topic.partitions[partition]!.earliest) throw error
    const [described] = await queue.describe([topic.name])
    return described ? readLast(queue, described, partition) : []
  }
}

/**
 * As `checkNotBehind`, before the writer is opened. It waits for open transactions, such as of a killed run, only where
 * the visible checkpoint does not know all records.
 */
async function checkBeforeOpening(queue: Queue, writerId: string, published: PublishedEnds): Promise<void> {
  if (findUnknown(undefined, published) && findUnknown(await readVisibleCheckpoint(queue, writerId), published))
    checkNotBehind(writerId, await readCheckpoint(queue, writerId), published)
}

async function readVisibleCheckpoint(queue: Queue, writerId: string): Promise<Checkpoint | undefined> {
  const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
  const wanted = Buffer.from(checkpointKey(writerId))
  for await (const records of readBackwards(queue, place)) {
    const found = records.find(({ key, value }) => key && value && wanted.equals(key))
    if (found) return decodeCheckpoint(found.value!)
  }
  return undefined
}

/** A run would publish unknown records a second time. The checkpoint must have been read after `published`. */
function checkNotBehind(writerId: string, checkpoint: Checkpoint | undefined, published: PublishedEnds): void {
  const unknown = findUnknown(checkpoint, published)
  if (!unknown) return
  const found = checkpoint
    ? `its checkpoint, of unit ${checkpoint.unit}, knows ${unknown.known} of them`
    : 'it has no checkpoint'
  throw new UserError(
    'checkpoint_behind',
    `"${unknown.topic}" partition ${unknown.partition} holds ${unknown.published} records that "${writerId}" has ` +
      `published, and ${found}. The others would be published a second time. Restore "_headrace.checkpoints" from a ` +
      'backup. Or publish to new topics: set another topicVersion in manifest.yaml. To publish them again to these ' +
      'topics, start once with `publishAgain`.',
    { remedy: { kind: 'publish_again' } },
  )
}

/**
 * The checkpoint of a run with `publishAgain`: the same position of the source, numbered after the published records.
 */
function continueAfter(published: PublishedEnds, checkpoint: Checkpoint | undefined): Checkpoint | undefined {
  if (!findUnknown(checkpoint, published)) return checkpoint
  const before = checkpoint ?? { position: null, fromStart: true as const, unit: 0, nextSeq: {}, final: null, time: {} }
  return {
    ...before,
    unit: Math.max(published.unit, before.unit),
    // Records that it does not know cannot be reverted.
    previous: null,
    nextSeq: { ...before.nextSeq, ...published.nextSeq },
    time: { ...before.time, ...published.time },
  }
}

function findUnknown(checkpoint: Checkpoint | undefined, { nextSeq }: PublishedEnds) {
  for (const [topic, seqs] of Object.entries(nextSeq)) {
    for (const [partition, published] of seqs.entries()) {
      const known = checkpoint?.nextSeq[topic]?.[partition] ?? 0
      if (published > known) return { topic, partition, published, known }
    }
  }
  return undefined
}

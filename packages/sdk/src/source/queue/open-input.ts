import { type CursorTopic, readRecordHeaders } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { invalidInput } from './input-errors.ts'
import type { OpenedTopic } from './open-topics.ts'
import { openRecordInput } from './record-input.ts'
import type { StartOptions } from './start-places.ts'
import { openUnitInput } from './unit-input.ts'
import type { InputUnit } from './unit-stream.ts'
import { openWriterCheckpoints } from './writer-checkpoints.ts'

/** The units of an input, and where reading them stands. */
export interface OpenedInput {
  readonly units: AsyncIterable<InputUnit>
  /** Whether what has been read can be taken back. */
  readonly revertible: boolean
  /** The places after the units read so far. */
  places(): CursorTopic[]
}

export interface OpenInputOptions extends StartOptions {
  readonly queue: Queue
  /** Whether to wait for more at the end. */
  readonly follow: boolean
  readonly signal: AbortSignal
}

/**
 * Begins to read an input: by units, or record by record where there are no `at` headers. Which of the two is known as
 * soon as the topics hold a record, or their writer has a checkpoint; until then it waits.
 *
 * @throws {UserError} `invalid_input`: the topics have units of several connector instances.
 */
export async function openInput(options: OpenInputOptions): Promise<OpenedInput> {
  const { queue, topics, follow, signal } = options
  const writerId = writerOf(topics)
  if (writerId === undefined) {
    for (const topic of topics) if (await haveUnits(options, [topic])) throw severalWriters(topics)
    return openRecordInput(options)
  }
  const checkpoints = await openWriterCheckpoints(queue, writerId, signal)
  const startSeqs = checkpoints.newest?.nextSeq ?? {}
  while (!checkpoints.newest) {
    const kind = await haveUnits(options, topics)
    if (kind === false) return openRecordInput(options)
    if (kind === undefined && !follow) break
    await checkpoints.wait(lookAgainMs)
  }
  return openUnitInput(options, { checkpoints, startSeqs })
}

const lookAgainMs = 500

/** The id of the one connector instance that publishes the topics; `undefined` where there are several, or none. */
function writerOf(topics: readonly OpenedTopic[]): string | undefined {
  const ids = new Set(topics.map(({ registration: found }) => found && `${found.lineage}/${found.instance}`))
  return ids.size === 1 ? [...ids][0] : undefined
}

/** Whether the first record there is belongs to a unit; `undefined` where there is none. */
async function haveUnits(
  { queue, signal }: OpenInputOptions,
  topics: readonly OpenedTopic[],
): Promise<boolean | undefined> {
  const descriptions = await queue.describe(topics.map(({ description }) => description.name))
  for (const { name, partitions } of descriptions) {
    for (const [partition, { earliest: offset }] of partitions.entries()) {
      const { batches } = await queue.read({ topic: name, partition, offset }, { maxBytes: 1, signal })
      for (const batch of batches)
        for (const record of batch.records()) return readRecordHeaders(record.headers).unit !== undefined
    }
  }
  return undefined
}

function severalWriters(topics: readonly OpenedTopic[]): Error {
  const names = topics.map(({ description }) => description.name).join(', ')
  return invalidInput(
    `The input topics ${names} are not all of one connector instance, and a unit is whole only within one. ` +
      'Read the topics of one instance, and the others with a connector of their own.',
  )
}

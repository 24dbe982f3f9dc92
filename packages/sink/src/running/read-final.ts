import { setTimeout as delay } from 'node:timers/promises'
import { decodeCursor, encodeCursor } from '@headrace/catalog'
import { RefusedError } from '@headrace/client'
import { type Logger, UserError } from '@headrace/queue'
import type { SinkBatch, SinkRecord } from '../destination/destination.ts'
import type { SinkClient } from './read-batches.ts'

export interface ReadFinalOptions {
  readonly client: SinkClient
  readonly topics: readonly string[]
  readonly from: Readonly<Record<string, string>>
  readonly finality: Finality
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * When a record counts as final. `declared`: once its connector declares it final. `at-once`: as it is published, for
 * connectors that never revert and declare nothing; a revert ends the run. Records without a connector are final at once.
 */
export type Finality = 'declared' | 'at-once'

/** Topics that are read at the same time. It bounds what is read ahead. */
const mostAtOnce = 4
/** After these a topic waits until the others were read. */
const pagesPerTurn = 64
/** In ms: how long a topic without new final records waits. */
const [shortestPause, longestPause] = [1000, 8000]

/**
 * The final records of topics, without end. Each source reads some of the topics in turns.
 *
 * A cursor of a canonical view contains the head of the view, and after it the log is read. What is before the final
 * position is the same as of every later head, so the cursors here go without one, and each read takes the newest head.
 */
export function readFinal(options: ReadFinalOptions): AsyncIterable<SinkBatch>[] {
  const { topics } = options
  const count = Math.min(mostAtOnce, topics.length)
  return Array.from({ length: count }, (_, n) =>
    readInTurns({ ...options, topics: topics.filter((_, index) => index % count === n) }),
  )
}

/**
 * The place before which all records are final. `undefined`: all are.
 *
 * @throws {ClientError}
 */
export async function finalCursor(
  { client, finality, signal }: Pick<ReadFinalOptions, 'client' | 'finality' | 'signal'>,
  topic: string,
): Promise<string | undefined> {
  if (finality === 'at-once') return undefined
  try {
    // The range ends before it begins: one empty page at its start.
    for await (const { cursor } of client.history({ topic, from: 'final', to: 'earliest', view: 'log', signal }))
      return cursor
  } catch (error) {
    if (!(error instanceof RefusedError && error.code === 'invalid_position')) throw error
  }
  return undefined
}

interface Turn {
  readonly topic: string
  cursor: string | undefined
  /** Everything before it was read. */
  readTo: string | undefined
  pauseMs: number
  dueAt: number
}

async function* readInTurns(options: ReadFinalOptions): AsyncGenerator<SinkBatch, void, void> {
  const { topics, from, signal } = options
  const turns = topics.map((topic): Turn => ({ topic, cursor: from[topic], readTo: undefined, pauseMs: 0, dueAt: 0 }))
  for (;;) {
    const turn = turns.reduce((first, other) => (other.dueAt < first.dueAt ? other : first))
    await delay(Math.max(0, turn.dueAt - performance.now()), undefined, { signal })
    const before = turn.cursor
    yield* readTurn(options, turn, await finalCursor(options, turn.topic))
    turn.pauseMs = turn.cursor === before ? Math.min(longestPause, Math.max(shortestPause, turn.pauseMs * 2)) : 0
    turn.dueAt = performance.now() + turn.pauseMs
  }
}

async function* readTurn(
  { client, log, signal }: ReadFinalOptions,
  turn: Turn,
  final: string | undefined,
): AsyncGenerator<SinkBatch, void, void> {
  if (final !== undefined && final === turn.readTo) return
  const { topic, cursor: from } = turn
  // What is final at once has no reverts, unless it was declared wrongly: the log shows them.
  const view = final === undefined ? 'log' : 'canonical'
  let pages = 0
  let hasRecords = false
  for await (const page of client.history({ topic, from, to: final, view, signal })) {
    const revert = page.records.find(({ op }) => op === 'revert')
    if (revert) throw notFinal(revert)
    hasRecords ||= page.records.length > 0
    const cursor = withoutHead(page.cursor)
    if (page.records.length > 0 || cursor !== turn.cursor) yield { topic, records: page.records, cursor }
    turn.cursor = cursor
    if (++pages === pagesPerTurn) return
  }
  if (final !== undefined && from === undefined && !hasRecords)
    log.warn({ topic }, 'no record of the topic is final yet')
  turn.readTo = final
}

/** The same place, in a form that is not bound to a head. */
function withoutHead(cursor: string): string {
  const topics = decodeCursor(cursor).topics.map(({ id, topic, partitions }) => ({ id, topic, partitions }))
  return encodeCursor({ topics })
}

function notFinal({ topic, partition, seq }: SinkRecord): UserError {
  return new UserError(
    'record_not_final',
    `Topic "${topic}" has a revert, at seq ${seq} of partition ${partition}, so its records are not final at once. Nothing ` +
      'of it was written. Store the topic in an empty folder, with the records that its connector declares final.',
  )
}

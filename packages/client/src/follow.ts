import type { Batch } from './batch.ts'
import { PositionUnavailableError } from './errors.ts'
import type { HistoryOptions, StreamOptions } from './options.ts'
import { isCanonicalCursor, isCursor, type Position } from './position.ts'
import { readHistory } from './read-history.ts'
import type { ClientContext } from './service/service.ts'
import { perTopic, readStream, startPlaces } from './stream/read-stream.ts'

export function subscribe(context: ClientContext, options: StreamOptions<string>): AsyncGenerator<Batch<unknown>> {
  return read(context, options, startPlaces(options, 'latest'), isCanonicalCursor)
}

export function follow(context: ClientContext, options: StreamOptions<string>): AsyncGenerator<Batch<unknown>> {
  const isCanonical = (from: Position) => isCanonicalCursor(from) || !isCursor(from)
  return read(context, options, startPlaces(options, 'earliest'), isCanonical)
}

async function* read(
  context: ClientContext,
  options: StreamOptions<string>,
  places: Map<string, Position>,
  isCanonical: (from: Position) => boolean,
): AsyncGenerator<Batch<unknown>, void, void> {
  const filter = perTopic<string>(options.topics, options.filter)
  const fields = perTopic<readonly string[]>(options.topics, options.fields)
  for (const [topic, from] of places) {
    const selection = { filter: filter?.[topic], fields: fields?.[topic] }
    if (isCanonical(from)) places.set(topic, yield* readCanonical(context, { ...options, ...selection, topic, from }))
  }
  yield* readStream(context, options, places)
}

/**
 * Reads the canonical view as of the head of its cursor, if there is one. Returns the cursor at which the log
 * continues: after a gap the earliest one, since its records may revert records that were read before.
 */
async function* readCanonical(
  context: ClientContext,
  {
    topic,
    from,
    filter,
    fields,
    onGap,
    signal,
  }: HistoryOptions<string> & Pick<StreamOptions<string>, 'onGap'> & { readonly from: Position },
): AsyncGenerator<Batch<unknown>, Position, void> {
  let [place, head] = [from, from]
  try {
    for await (const { records, cursor, headCursor } of readHistory(context, { topic, from, filter, fields, signal })) {
      place = cursor
      head = headCursor
      if (records.length > 0) yield { topic, records, cursor }
    }
    return head
  } catch (error) {
    if (onGap !== 'skip' || !(error instanceof PositionUnavailableError)) throw error
    signal?.throwIfAborted()
    yield { topic, records: [], cursor: error.earliest, gap: { after: place, reason: error.reason } }
    return error.earliest
  }
}

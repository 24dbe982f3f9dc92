import type { JsonSchema } from '@headrace/catalog'
import {
  gapSchema,
  progressSchema,
  startSchema,
  streamErrorCodes,
  streamErrorSchema,
} from '../api-definition/stream-schema.ts'

/** An event of a stream. */
export interface EventDefinition {
  /** When it comes, in Markdown. */
  readonly meaning: string
  /** Of its `data`, which is JSON. */
  readonly data: JsonSchema
}

export type EventType = 'ready' | 'message' | 'progress' | 'gap' | 'stream_error'

/** Every event of a stream, by its type. Records have none, and an EventSource then calls it `message`. */
export const events: Readonly<Record<EventType, EventDefinition>> = {
  ready: {
    meaning: 'The first event: `topics`, each with the cursor it begins at, and `heartbeatMs`.',
    data: startSchema,
  },
  message: {
    meaning: 'A record, the same as REST gives. It has no `event` line, which an EventSource takes for this one.',
    data: { $ref: '#/components/schemas/Record' },
  },
  progress: {
    meaning: 'How far the stream has come. After silence, with a comment, and before the gateway ends a stream.',
    data: progressSchema,
  },
  gap: { meaning: 'Records are lost, and the stream goes on at the next that is there.', data: gapSchema },
  stream_error: {
    meaning: `Why the stream ends, as \`code\` and \`detail\`: ${streamErrorCodes.map((code) => `\`${code}\``).join(', ')}.`,
    data: streamErrorSchema,
  },
}

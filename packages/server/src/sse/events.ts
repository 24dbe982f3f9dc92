import type { JsonSchema } from '@headrace/catalog'
import {
  gapSchema,
  progressSchema,
  startSchema,
  streamErrorCodes,
  streamErrorSchema,
} from '../api-definition/stream-schema.ts'

export interface EventDefinition {
  readonly meaning: string
  readonly data: JsonSchema
}

export type EventType = 'ready' | 'message' | 'progress' | 'gap' | 'stream_error'

/** Records are sent without a type, for which an EventSource uses `message`. */
export const events: Readonly<Record<EventType, EventDefinition>> = {
  ready: {
    meaning: 'The first event: `topics`, each with its first cursor, and `heartbeatMs`.',
    data: startSchema,
  },
  message: {
    meaning: 'A record, the same as in REST. It has no `event` line; an EventSource uses this type then.',
    data: { $ref: '#/components/schemas/Record' },
  },
  progress: {
    meaning: 'The cursors of the stream. Sent after silence, with a comment, and before the gateway ends a stream.',
    data: progressSchema,
  },
  gap: { meaning: 'Records are lost. The stream continues at the next existing record.', data: gapSchema },
  stream_error: {
    meaning: `Why the stream ends, as \`code\` and \`detail\`: ${streamErrorCodes.map((code) => `\`${code}\``).join(', ')}.`,
    data: streamErrorSchema,
  },
}

import type { JsonSchema } from '@headrace/catalog'
import { gapSchema, progressSchema } from '../api-definition/stream-schema.ts'

/** A notification of the gateway. */
export interface NotificationDefinition {
  /** What it says, in Markdown. */
  readonly meaning: string
  readonly params: JsonSchema
}

export type NotificationMethod = 'subscription' | 'progress' | 'gap'

/** Every notification, by its method. */
export const notifications: Readonly<Record<NotificationMethod, NotificationDefinition>> = {
  subscription: { meaning: 'A record, the same as REST gives.', params: { $ref: '#/components/schemas/Record' } },
  progress: {
    meaning: 'How far the subscriptions have come. After silence, and before the gateway ends a connection.',
    params: progressSchema,
  },
  gap: { meaning: 'Records are lost, and the subscription goes on at the next that is there.', params: gapSchema },
}

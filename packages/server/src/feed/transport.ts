import type { Socket } from 'node:net'
import type { Run } from '../history/run.ts'

export interface Transport {
  readonly protocol: 'websocket' | 'sse'
  readonly socket: Socket
  onClose(listener: () => void): void
  records(run: Run): void
  progress(progress: Progress): void
  gap(gap: Gap): void
  /** Closes the connection after what was written before. */
  end(reason: EndReason): void
}

/** Every record before these cursors has been sent. */
export interface Progress {
  readonly cursors: Readonly<Record<string, string>>
  /** Topic with a selection → for each partition the seq of the record after the cursor. */
  readonly nextSeqs?: Readonly<Record<string, readonly (string | null)[]>>
  /** Topic → the last unit of which every record was sent, where it is known. */
  readonly units: Readonly<Record<string, string>>
}

export interface Gap {
  readonly topic: string
  readonly after: string
  /** The next existing record; in other partitions the same places as before. */
  readonly resumeAt: string
  readonly reason: string
}

export const endMessages = {
  draining: 'The gateway is stopping. Connect again and continue from the last cursor.',
  key_revoked: 'The API key has been revoked or has expired.',
  token_expired: 'The token has expired. Connect again with a new one and continue from the last cursor.',
  permission_lost: 'The API key no longer covers a subscribed topic.',
  quota_exceeded: 'The monthly quota of the API key is used up.',
  slow_consumer: 'The client did not read for too long. Connect again and continue from the last cursor.',
  no_pong: 'The client sent no pong.',
  rate_limited: 'Too many requests were above the rate of the key. Send fewer, and continue from the last cursor.',
  max_age: 'The connection has reached its maximal age. Connect again and continue from the last cursor.',
  position_unavailable: 'The next records have been removed. Connect again to get the earliest position.',
  overloaded: 'The topic cannot be read at the moment. Connect again and continue from the last cursor.',
} as const

export type EndReason = keyof typeof endMessages

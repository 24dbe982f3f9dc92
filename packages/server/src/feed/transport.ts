import type { Socket } from 'node:net'
import type { Run } from '../history/run.ts'

/** How a stream speaks to its client: WebSocket or SSE. */
export interface Transport {
  readonly protocol: 'websocket' | 'sse'
  readonly socket: Socket
  /** Calls a function when the connection, or its part that is this stream, is over. */
  onClose(listener: () => void): void
  records(run: Run): void
  progress(progress: Progress): void
  gap(gap: Gap): void
  /** Says why and ends the connection, once what was written before is sent. */
  end(reason: EndReason): void
}

/** How far a stream has come. Everything before these cursors has been sent. */
export interface Progress {
  readonly cursors: Readonly<Record<string, string>>
  /** Topic → the last unit of which every record was sent, where it is known. */
  readonly units: Readonly<Record<string, string>>
}

/** Records that are lost to a reader. */
export interface Gap {
  readonly topic: string
  /** The position asked for or, on the way, the cursor of what was sent. */
  readonly after: string
  /** The cursor of the next record that is there, with the same places as before in other partitions. */
  readonly resumeAt: string
  readonly reason: string
}

/** Why the gateway ends a stream. */
export type EndReason =
  | 'draining'
  | 'key_revoked'
  | 'permission_lost'
  | 'slow_consumer'
  | 'no_pong'
  | 'rate_limited'
  | 'max_age'
  | 'position_unavailable'
  | 'overloaded'

/** What a client is told about the end of its stream. */
export const endMessages: Readonly<Record<EndReason, string>> = {
  draining: 'The gateway is closing. Connect again, and go on from the last cursor.',
  key_revoked: 'The API key has been revoked or has expired.',
  permission_lost: 'The API key no longer covers a subscribed topic.',
  slow_consumer: 'Nothing was taken for too long. Connect again, and go on from the last cursor.',
  no_pong: 'No pong came back.',
  rate_limited: 'Too many requests were over the rate of the key. Send fewer, and go on from the last cursor.',
  max_age: 'The connection has been open for as long as one may. Connect again, and go on from the last cursor.',
  position_unavailable: 'The records that come next have been removed. Connect again to learn what is there.',
  overloaded: 'The topic cannot be read at this moment. Connect again, and go on from the last cursor.',
}

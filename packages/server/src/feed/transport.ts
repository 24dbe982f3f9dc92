import type { Socket } from 'node:net'
import type { Run } from '../history/run.ts'
import type { EndReason } from './end-reason.ts'

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
  /** Topic → the unit through which it is whole, where that is known. */
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

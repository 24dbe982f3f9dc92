/** The version of the process protocol. */
export const protocolVersion = 1

/** The largest frame that a child may write. */
export const frameLimitBytes: number = 64 * 1024 * 1024

/** What the parent tells the child: `ToChild` of `process.proto`. */
export type ParentMessage =
  | {
      readonly kind: 'start'
      readonly protocol: number
      /** JSON. */
      readonly config: string
      /** JSON, newest first. */
      readonly history: readonly string[]
      /** Full names. */
      readonly messages: readonly string[]
      readonly pendingUnits: number
      readonly frameBytes: number
    }
  | { readonly kind: 'committed'; readonly unit: number }
  | { readonly kind: 'stop' }

/** What the child tells the parent: `FromChild` of `process.proto`. `unknown`: a message of a later version. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly protocol: number }
  | ChildUnit
  | { readonly kind: 'progress'; readonly at: number; readonly head: number }
  | { readonly kind: 'failed'; readonly text: string; readonly retry: boolean }
  | { readonly kind: 'done' }
  | { readonly kind: 'unknown' }

/** A unit as the child wrote it. */
export interface ChildUnit {
  readonly kind: 'unit'
  readonly number: number
  /** JSON, as are `revertTo` and `final`. */
  readonly checkpoint: string
  readonly messages: readonly EncodedMessage[]
  readonly revertTo: string | undefined
  readonly final: string | undefined
  readonly timeMs: number | undefined
}

export interface EncodedMessage {
  /** Its place in the list of names that the child was given. */
  readonly type: number
  /** A view of the frame. */
  readonly value: Uint8Array
}

import type { Workload } from './workload.ts'

/** Encodes a message. The bytes are valid until `reset`. */
export type Encode<Message> = (message: Message) => Uint8Array

/** One way of encoding each type of message. */
export type Encoders = { readonly [Name in keyof Workload]: Encode<Workload[Name][number]> } & {
  /** Begins anew: memory may be used again. */
  reset(): void
}

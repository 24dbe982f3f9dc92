import type { Caller } from './caller.ts'

/** From a gateway to the process that keeps the limits. Messages of one gateway arrive in order. */
export type ToLimits =
  /** The gateway has no tokens of the caller, and `want` requests wait for one. Ends its lease. */
  | { readonly type: 'lease'; readonly caller: Caller; readonly want: number }
  /** Ends the lease with this number. */
  | { readonly type: 'return'; readonly id: string; readonly lease: number; readonly unused: number }
  | { readonly type: 'open'; readonly caller: Caller; readonly request: number }
  | { readonly type: 'close'; readonly id: string }

/** From the process that keeps the limits to a gateway. */
export type FromLimits =
  /** Fewer tokens than wanted: these are the last ones, and waiting requests beyond them are refused. */
  | {
      readonly type: 'leased'
      readonly id: string
      readonly lease: number
      readonly tokens: number
      readonly left: number
    }
  /** The gateway returns its lease of the caller at once. */
  | { readonly type: 'recall'; readonly id: string; readonly lease: number }
  | { readonly type: 'opened'; readonly request: number; readonly isAllowed: boolean; readonly others: number }

/** Time after which a gateway returns a lease, in ms. */
export const leaseMs = 250

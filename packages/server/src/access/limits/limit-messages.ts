import type { Caller } from './caller.ts'

/** From a gateway to the process that keeps the limits. They arrive in order, so a lease needs no number. */
export type ToLimits =
  /** The gateway has no tokens of the caller, and `want` requests wait for one. Ends its lease. */
  | { readonly type: 'lease'; readonly caller: Caller; readonly want: number }
  /** Ends the lease. */
  | { readonly type: 'return'; readonly id: string; readonly unused: number }
  | { readonly type: 'open'; readonly caller: Caller; readonly request: number }
  | { readonly type: 'close'; readonly id: string }

/** From the process that keeps the limits to a gateway. */
export type FromLimits =
  /** Fewer tokens than wanted: these are the last ones, and waiting requests beyond them are refused. */
  | {
      readonly type: 'leased'
      readonly id: string
      readonly tokens: number
      readonly left: number
    }
  /** The gateway returns its lease at once, if it has one. */
  | { readonly type: 'recall'; readonly id: string }
  | { readonly type: 'opened'; readonly request: number; readonly isAllowed: boolean; readonly others: number }

/** Time after which a gateway returns a lease, in ms. */
export const leaseMs = 250

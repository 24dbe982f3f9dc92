import type { Schema, Source } from '@headrace/sdk'

/** The connector's log, as the SDK hands it out. */
export type Log = Source<Schema, unknown>['log']

import type { Schema, Source } from '@headrace/sdk'

export type Log = Source<Schema, unknown>['log']

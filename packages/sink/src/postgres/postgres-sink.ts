import { UserError } from '@headrace/queue'
import { defineSink, type SinkDefinition } from '../destination/destination.ts'
import { openDatabase } from './database.ts'
import { lockSink } from './lock-sink.ts'
import type { PostgresSinkOptions } from './options.ts'
import { createPostgresDestination } from './postgres-destination.ts'
import { openStoredTables } from './stored-tables.ts'

/**
 * A table per topic. Rows and cursor are written in one transaction, so each record is applied exactly once. The row of a
 * reverted record is deleted, or the previous row of its key restored.
 *
 * @throws {UserError} `invalid_destination`: the URL is not one of PostgreSQL.
 *
 * @example
 * ```ts
 * await runSink({ sink: postgresSink({ url: 'postgres://localhost/shop' }), client, topics, signal })
 * ```
 */
export function postgresSink(options: PostgresSinkOptions): SinkDefinition {
  if (!/^postgres(ql)?:\/\//.test(options.url) || !URL.canParse(options.url))
    throw new UserError(
      'invalid_destination',
      'The address of PostgreSQL must be a URL such as postgres://user@host:5432/database.',
    )
  return defineSink({
    kind: 'postgres',
    records: 'canonical',
    rows: options.primaryKey === 'key' ? 'key' : 'record',
    async open(context) {
      const database = await openDatabase(options.url, context)
      try {
        if (context.readOnly) return await openStoredTables(database, context, options)
        await lockSink(database, options.schema ?? 'public', context)
        return createPostgresDestination(database, context, options)
      } catch (error) {
        await database.close()
        throw error
      }
    },
  })
}

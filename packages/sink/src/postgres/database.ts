import { RetryableError, UserError } from '@headrace/queue'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { SinkContext } from '../destination/destination.ts'

export interface Database {
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Commits, or rolls back if `work` throws. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** Sends chunks of COPY's text format. */
  copy(sql: string, chunks: Iterable<string>): Promise<void>
  close(): Promise<void>
}

/** In ms. */
const connectMs = 30_000

/**
 * Opens one connection. Its methods throw `destination_unavailable` (retryable) where the server is away or busy, and
 * `destination_refused` for all else that it answers.
 */
export async function openDatabase(url: string, { name, log }: Pick<SinkContext, 'name' | 'log'>): Promise<Database> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `headrace sink ${name}`,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  })
  // A lost connection fails the next query, which reports it.
  client.on('error', (error) => log.debug({ error: error.message }, 'connection to PostgreSQL lost'))
  await convert(client.connect())
  const query = async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> =>
    (await convert(client.query<Row>(sql, values as unknown[]))).rows

  return {
    query,
    async transaction(work) {
      await query('begin')
      try {
        const result = await work()
        await query('commit')
        return result
      } catch (error) {
        await query('rollback').catch(() => {})
        throw error
      }
    },
    async copy(sql, chunks) {
      const stream = client.query(copyFrom(sql))
      const finished = new Promise<void>((resolve, reject) => stream.on('finish', resolve).on('error', reject))
      // Awaited below, after an error of `chunks` too.
      finished.catch(() => {})
      try {
        for (const chunk of chunks) if (!stream.write(chunk)) await Promise.race([drained(stream), finished])
        stream.end()
      } catch (error) {
        stream.destroy(error as Error)
        throw error
      }
      await convert(finished)
    },
    close: () => client.end().catch(() => {}),
  }
}

function drained(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve))
}

async function convert<Result>(promise: Promise<Result>): Promise<Result> {
  try {
    return await promise
  } catch (error) {
    throw databaseError(error as Error & { readonly code?: string })
  }
}

/**
 * Classes of SQLSTATE that may pass: connections, transaction rollback, resources, operator intervention, system errors.
 */
const retryable = /^(08|40|53|55|57|58)/

function databaseError(error: Error & { readonly code?: string; readonly detail?: string }): Error {
  const { code = '', message, detail } = error
  const isAnswer = error instanceof pg.DatabaseError
  if (isAnswer && !retryable.test(code))
    return new UserError(
      'destination_refused',
      `PostgreSQL refuses: ${message}${detail === undefined ? '' : `. ${detail}`} (SQLSTATE ${code}).`,
      { cause: error },
    )
  // If every address of a host refuses the connection, only the single errors have messages.
  const reason = error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join(', ') : message
  return new RetryableError('destination_unavailable', `PostgreSQL cannot be used: ${reason}.`, { cause: error })
}

import { createClient } from '@headrace/client'
import pg from 'pg'
import { readEnvironment } from './environment.ts'
import { mirror } from './mirror.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const report = (text: string) => void process.stderr.write(`${text}\n`)

try {
  const { url, apiKey, topic, databaseUrl, table } = readEnvironment()
  const database = new pg.Client({ connectionString: databaseUrl, application_name: 'headrace mirror' })
  const disconnected = new AbortController()
  database.on('error', (error) => disconnected.abort(error))
  await database.connect()
  try {
    const client = createClient({
      url,
      apiKey,
      onRetry: ({ error, delayMs }) => report(`${error.message} Again in ${Math.ceil(delayMs)} ms.`),
    })
    await mirror({
      client,
      database,
      topic,
      table,
      signal: AbortSignal.any([stop.signal, disconnected.signal]),
      report,
    })
  } finally {
    await database.end()
  }
} catch (error) {
  if (!stop.signal.aborted) {
    report(`error: ${messageOf(error)}`)
    process.exitCode = 1
  }
}

/** If every address of a host refuses the connection, the single errors have the reasons. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? `${error.message} (${error.code})` : error.message
}

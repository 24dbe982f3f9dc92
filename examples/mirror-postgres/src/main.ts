import { createClient } from '@headrace/client'
import pg from 'pg'
import { readEnvironment } from './environment.ts'
import { mirror } from './mirror.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const tell = (text: string) => void process.stderr.write(`${text}\n`)

try {
  const { url, apiKey, topic, databaseUrl, table } = readEnvironment()
  const database = new pg.Client({ connectionString: databaseUrl, application_name: 'headrace mirror' })
  const lost = new AbortController()
  database.on('error', (error) => lost.abort(error))
  await database.connect()
  try {
    const client = createClient({
      url,
      apiKey,
      onRetry: ({ error, delayMs }) => tell(`${error.message} Again in ${Math.ceil(delayMs)} ms.`),
    })
    await mirror({ client, database, topic, table, signal: AbortSignal.any([stop.signal, lost.signal]), tell })
  } finally {
    await database.end()
  }
} catch (error) {
  if (!stop.signal.aborted) {
    tell(`error: ${messageOf(error)}`)
    process.exitCode = 1
  }
}

/** A connection that every address of a host refuses is one error of many, which says nothing itself. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? `${error.message} (${error.code})` : error.message
}

import { createClient } from '@headrace/client'
import pg from 'pg'
import { environment } from './environment.ts'
import { mirror } from './mirror.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const database = new pg.Client({ connectionString: environment.databaseUrl, application_name: 'headrace mirror' })
await database.connect()
const client = createClient({
  url: environment.url,
  apiKey: environment.apiKey,
  onRetry: ({ error, delayMs }) => process.stderr.write(`${error.message} Again in ${Math.ceil(delayMs)} ms.\n`),
})
try {
  await mirror({ client, database, topic: environment.topic, table: environment.table, signal: stop.signal })
} catch (error) {
  if (!stop.signal.aborted) throw error
} finally {
  await database.end()
}

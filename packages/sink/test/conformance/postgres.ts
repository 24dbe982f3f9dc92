import type { SinkDefinition } from '@headrace/sink'
import { type PostgresSinkOptions, postgresSink } from '@headrace/sink/postgres'
import pg from 'pg'

type SinkOfPlace = (place: string) => SinkDefinition

/** Each place is a schema. */
export function postgresPlaces(url: string, primaryKey: PostgresSinkOptions['primaryKey'] & string): SinkOfPlace {
  return (place) => {
    const schema = `${place}_${primaryKey}`
    const sink = postgresSink({ url, schema, primaryKey })
    return {
      ...sink,
      async open(context) {
        const client = new pg.Client(url)
        await client.connect()
        await client.query(`create schema if not exists ${schema}`)
        await client.end()
        return sink.open(context)
      },
    }
  }
}

// Parameters of a child process.
const { searchParams } = new URL(import.meta.url)
const sink: SinkOfPlace = postgresPlaces(
  searchParams.get('url') ?? '',
  searchParams.get('key') === 'key' ? 'key' : 'seq',
)
// biome-ignore lint/style/noDefaultExport: child processes import it.
export default sink

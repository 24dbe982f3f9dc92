import { join } from 'node:path'
import type { SinkDefinition } from '@headrace/sink'
import { parquetSink } from '@headrace/sink/parquet'

type SinkOfPlace = (place: string) => SinkDefinition

/** Each place is a folder, with files of a few rows. */
export function parquetPlaces(folder: string): SinkOfPlace {
  return (place) => parquetSink({ folder: join(folder, place), maxRows: 3 })
}

// Parameters of a child process.
const sink: SinkOfPlace = parquetPlaces(new URL(import.meta.url).searchParams.get('folder') ?? '')
// biome-ignore lint/style/noDefaultExport: child processes import it.
export default sink

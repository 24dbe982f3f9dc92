import { UserError } from '@headrace/queue'
import { defineSink, type SinkDefinition } from '../destination/destination.ts'
import { createFiles, type Files } from './files.ts'
import { type ParquetSinkOptions, parquetSettings } from './options.ts'
import { createParquetDestination } from './parquet-destination.ts'
import { openStoredFiles } from './stored-files.ts'

/**
 * A folder of Parquet files per topic, with final records only, each exactly once and in order. A manifest in each folder
 * names the valid files and holds the cursor.
 *
 * @throws {UserError} `invalid_destination`: the folder has no name.
 *
 * @example
 * ```ts
 * await runSink({ sink: parquetSink({ folder: 'lake' }), client, topics, signal, log })
 * ```
 */
export function parquetSink(options: ParquetSinkOptions): SinkDefinition {
  return parquetSinkOn(createFiles(), options)
}

/** @internal */
export function parquetSinkOn(files: Files, options: ParquetSinkOptions): SinkDefinition {
  if (options.folder === '')
    throw new UserError('invalid_destination', 'The folder of the Parquet files is missing: parquet:FOLDER.')
  const settings = parquetSettings(options)
  return defineSink({
    kind: 'parquet',
    records: 'final',
    async open(context) {
      if (context.readOnly) return openStoredFiles(context, { ...settings, files })
      return createParquetDestination(context, { ...settings, files })
    },
  })
}

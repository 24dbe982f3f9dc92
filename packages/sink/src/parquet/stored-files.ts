import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { UserError } from '@headrace/queue'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { Destination, SinkContext, StoredRow } from '../destination/destination.ts'
import { type FieldColumn, fieldColumns } from './columns.ts'
import type { Files } from './files.ts'
import type { Manifest } from './manifest.ts'
import type { ParquetSettings } from './options.ts'
import { readManifest } from './topic-folder.ts'

/** Reads files and cursors as of one moment. */
export async function openStoredFiles(
  { name: sink, topics }: SinkContext,
  { files, folder, folders }: ParquetSettings & { readonly files: Files },
): Promise<Destination> {
  const stored = new Map<string, StoredFiles>()
  for (const topic of topics) {
    const path = join(folder, folders[topic.topic] ?? topic.topic)
    const manifest = await readManifest({ files, path, topic: topic.topic, sink })
    if (!manifest)
      throw new UserError(
        'destination_refused',
        `The folder ${path} has no manifest, so no sink has written topic "${topic.topic}" there.`,
      )
    stored.set(topic.topic, { path, manifest, columns: fieldColumns(topic, manifest.columns) })
  }

  return {
    readCursor: async (topic) => stored.get(topic)!.manifest.cursor ?? undefined,
    readRows: (topic, partition) => readRows(stored.get(topic)!, partition),
    prepare: readOnly,
    apply: readOnly,
    close: async () => {},
  }
}

function readOnly(): never {
  throw new TypeError('The destination was opened to be read only.')
}

interface StoredFiles {
  readonly path: string
  readonly manifest: Manifest
  readonly columns: readonly FieldColumn[]
}

async function* readRows(
  { path, manifest, columns }: StoredFiles,
  partition: number,
): AsyncGenerator<readonly StoredRow[], void, void> {
  for (const { name, partitions } of manifest.files)
    if (partitions[partition])
      for await (const rows of readPart(join(path, name)))
        yield rows.filter((row) => row._partition === partition).map((row) => storedRow(row, columns))
}

type Row = Readonly<Record<string, unknown>>

export async function* readPart(path: string): AsyncGenerator<Row[], void, void> {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  let rowStart = 0
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows)
    yield await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, parsers, utf8: false })
    rowStart = rowEnd
  }
}

const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
/** Its own have milliseconds only, and cut off a byte order mark. */
const parsers = {
  timestampFromMicroseconds: (micros: bigint) => micros,
  stringFromBytes: (bytes: Uint8Array) => utf8.decode(bytes),
}

function storedRow(row: Row, columns: readonly FieldColumn[]): StoredRow {
  const seq = row._seq as bigint
  const key = (row._key as string | undefined) ?? null
  if (columns[0] && !columns[0].field) return { seq, key, value: read(row, columns[0]) as StoredRow['value'] }
  // A file that is older than a field has no such column.
  const found = columns.filter(({ element }) => Object.hasOwn(row, element.name))
  return { seq, key, value: Object.fromEntries(found.map((column) => [column.field!.name, read(row, column)])) }
}

function read(row: Row, { element, read }: FieldColumn): unknown {
  const stored = row[element.name]
  return stored === undefined || stored === null ? null : read(stored as never)
}

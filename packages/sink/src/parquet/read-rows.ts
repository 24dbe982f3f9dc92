import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { StoredRow } from '../destination/destination.ts'
import type { FieldColumn } from './columns.ts'
import type { Manifest } from './manifest.ts'

/** The rows of the valid files: in order of seq within each partition, one partition after the other. */
export async function* readRows(
  path: string,
  { files }: Manifest,
  columns: readonly FieldColumn[],
): AsyncGenerator<readonly StoredRow[], void, void> {
  const partitions = new Set(files.flatMap((file) => Object.keys(file.partitions).map(Number)))
  for (const partition of [...partitions].toSorted((one, other) => one - other))
    for (const { name, partitions: within } of files)
      if (within[partition])
        for await (const rows of readFile(join(path, name)))
          yield rows.filter((row) => row._partition === partition).map((row) => storedRow(row, columns))
}

type Row = Readonly<Record<string, unknown>>

async function* readFile(path: string): AsyncGenerator<Row[], void, void> {
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
/** Its Date has milliseconds only. */
const parsers = { timestampFromMicroseconds: (micros: bigint) => micros }

function storedRow(row: Row, columns: readonly FieldColumn[]): StoredRow {
  const place = { partition: row._partition as number, seq: row._seq as bigint }
  const [whole] = columns
  if (whole && !whole.field) return { ...place, value: read(row, whole) as StoredRow['value'] }
  return { ...place, value: Object.fromEntries(columns.map((column) => [column.field!.name, read(row, column)])) }
}

function read(row: Row, { element, read }: FieldColumn): unknown {
  const stored = row[element.name]
  return stored === undefined || stored === null ? null : read(stored as never)
}

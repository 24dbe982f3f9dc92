import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { SinkRecord } from '../destination/destination.ts'
import { seqOf } from '../destination/record-seq.ts'
import type { Column, Stored } from './columns.ts'
import type { Files, WrittenFile } from './files.ts'
import type { ManifestFile } from './manifest.ts'

/** A file that is being written. */
export interface PartFile {
  readonly rows: number
  /** Of what was written, and roughly of what is in memory. */
  readonly bytes: number
  readonly bytesInMemory: number
  add(records: readonly SinkRecord[]): Promise<void>
  /** Writes what is in memory as a row group. */
  writeRowGroup(): Promise<void>
  /** Writes the end of the file, and makes its content durable. */
  finish(): Promise<Omit<ManifestFile, 'name'>>
  /** The file stays. */
  discard(): Promise<void>
}

/** Readers in parallel read a row group each. More rows make them faster up to about 100,000. */
const groupRows = 100_000
/** Of values in memory. */
const groupBytes = 64 << 20

export async function openPartFile(files: Files, path: string, columns: readonly Column[]): Promise<PartFile> {
  const file = await files.create(path)
  const output = new ByteWriter(1 << 20)
  const writer = new ParquetWriter({
    writer: output,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(({ element }) => element)],
    codec: 'ZSTD',
    compressors: { ZSTD: compress },
    createdBy: 'headrace',
  })
  const partitions: Record<string, { first: string; last: string }> = {}
  let values: Stored[][] = columns.map(() => [])
  let memory = 0
  let rows = 0

  return {
    get rows() {
      return rows
    },
    get bytes() {
      return output.offset + memory
    },
    get bytesInMemory() {
      return memory
    },
    async add(records) {
      for (const record of records) {
        for (const [index, column] of columns.entries()) {
          const value = column.of(record)
          values[index]!.push(value)
          memory += sizeOf(value)
        }
        rows++
        const seq = seqOf(record)
        const known = partitions[record.partition]
        if (known) known.last = seq
        else partitions[record.partition] = { first: seq, last: seq }
        if (values[0]!.length >= groupRows || memory >= groupBytes) await writeRowGroup()
      }
    },
    writeRowGroup,
    async finish() {
      await writeRowGroup()
      writer.finish()
      await drain(file, output)
      await file.sync()
      await file.close()
      return { rows, bytes: output.offset, partitions }
    },
    discard: () => file.close(),
  }

  async function writeRowGroup(): Promise<void> {
    const count = values[0]!.length
    if (count === 0) return
    const columnData = columns.map(({ element: { name, type } }, index) => ({
      // Least and greatest values let readers skip row groups. Texts and bytes are rarely in order, and slow to compare.
      ...{ name, data: values[index]!, statistics: type !== 'BYTE_ARRAY' },
    }))
    writer.write({ columnData, rowGroupSize: count })
    values = columns.map(() => [])
    memory = 0
    await drain(file, output)
  }
}

async function drain(file: WrittenFile, output: ByteWriter): Promise<void> {
  await file.write(output.getBytes())
  output.index = 0
}

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
}

/** Roughly. */
function sizeOf(value: Stored): number {
  if (typeof value === 'string') return 16 + value.length
  return value instanceof Uint8Array ? 96 + value.byteLength : 16
}

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { RpcBlock, RpcReceipt } from '@headrace/evm'

/** A block as a node returned it, with whole transactions, and their receipts in order. */
export interface RecordedBlock {
  readonly block: RpcBlock
  readonly receipts: readonly RpcReceipt[]
}

/** The recording of this repository, made by `record.ts`. */
export const recordingFile: string = join(import.meta.dirname, 'chain.ndjson.br')

/** Writes blocks in the order of their numbers, one JSON object per line, compressed with brotli. */
export async function writeRecording(file: string, blocks: readonly RecordedBlock[]): Promise<void> {
  const text = Buffer.from(blocks.map((block) => `${JSON.stringify(block)}\n`).join(''))
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
  await writeFile(file, await promisify(brotliCompress)(text, { params }))
}

export async function readRecording(file: string = recordingFile): Promise<readonly RecordedBlock[]> {
  const text = await promisify(brotliDecompress)(await readFile(file))
  return text
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedBlock)
}

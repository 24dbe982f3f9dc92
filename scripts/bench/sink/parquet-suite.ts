import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { execa } from 'execa'
import { preparePython } from '../../../packages/testbed/children/python.ts'
import type { BenchContext, OpenSuite, Suite } from '../bench.ts'
import { connectorCommand, repository } from '../evm/connector-command.ts'
import { publishTransfers } from './transfers.ts'

/** From a queue to Parquet files. */
export const sinkParquetSuite: Suite = { name: 'sink-parquet', open }

async function open({ quick }: BenchContext): Promise<OpenSuite | { unavailable: string }> {
  const python = await preparePython(['duckdb==2.0.1'])
  if ('unavailable' in python) return python
  const duckdb = (...args: string[]) => execa(join(python.folder, 'python3'), args)
  const folder = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const records = quick ? 50_000 : 500_000
  const queueUrl = `embedded:${folder}/queue`
  const queue = await openQueue(queueUrl)
  const topic = await publishTransfers(queue, records)
  await queue.close()
  const ours = join(folder, 'ours', topic)
  const rows = join(folder, 'rows.ndjson')

  return {
    benches: [
      {
        name: 'sink, embedded to Parquet',
        unit: 'records/s',
        better: 'higher',
        contestants: { ours: sink, 'DuckDB, from NDJSON': copy },
        targets: {},
      },
    ],
    close: () => rm(folder, { recursive: true }),
  }

  async function sink(): Promise<number> {
    await rm(ours, { recursive: true, force: true })
    const args = ['sink', `parquet:${join(folder, 'ours')}`, '--topic', topic, '--once', '--final', 'at-once']
    await execa(process.execPath, [connectorCommand, ...args, '--queue', queueUrl], { cwd: repository })
    // From the claim of the folder to the first file, which has all rows: the start of the program does not count.
    const [claimed, written] = await Promise.all(
      [1, 2].map((generation) => stat(join(ours, '_manifest', `${generation}.json`.padStart(17, '0')))),
    )
    return (records * 1000) / (written!.mtimeMs - claimed!.mtimeMs)
  }

  /** The same rows. */
  async function copy(): Promise<number> {
    const files = `${ours}/*.parquet`
    await duckdb('-c', `import duckdb; duckdb.sql("copy (from '${files}') to '${rows}' (format json)")`)
    const program = join(import.meta.dirname, 'copy_parquet.py')
    const { stdout } = await duckdb(program, rows, join(folder, 'copied.parquet'))
    return records / Number(stdout)
  }
}

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../../../packages/testbed/environment.ts'
import { findPostgres, startPostgres } from '../../../packages/testbed/postgres/postgres.ts'
import { transferAbi } from './event-project.ts'

export interface PonderReading {
  /** Of `installPeers`. */
  readonly peers: string
  readonly rpc: string
  readonly token: string
  /** The blocks from 0 on. */
  readonly blocks: number
}

export interface PonderFigures {
  /** From the first request of the backfill until all events are in the database. */
  readonly ms: number
  readonly events: number
}

/** Ponder uses PostgreSQL if this machine has it, else PGlite, which is about half as fast. */
export const ponderName: string = findPostgres() ? 'Ponder, PostgreSQL' : 'Ponder, PGlite'

/** Runs a project that stores the Transfer events of a token, with an empty database. */
export async function runPonder(reading: PonderReading): Promise<PonderFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const binaries = findPostgres()
  await using postgres = binaries === undefined ? undefined : await startPostgres(binaries)
  try {
    await writeProject(folder, reading, postgres?.url)
    return await readLog(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * A backend allows 20 requests a second at first, and 5 % more every few seconds. A node of one's own has no such limit,
 * so it is listed as many backends.
 */
const backends = 50

async function writeProject(folder: string, reading: PonderReading, postgresUrl: string | undefined): Promise<void> {
  const { peers, rpc, token: address, blocks } = reading
  const config = {
    database: postgresUrl === undefined ? { kind: 'pglite' } : { kind: 'postgres', connectionString: postgresUrl },
    chains: { replayed: { id: 31337, rpc: Array.from({ length: backends }, (_, index) => `${rpc}/${index}`) } },
    contracts: {
      Token: { chain: 'replayed', abi: transferAbi, address, startBlock: 0, endBlock: blocks - 1 },
    },
  }
  await mkdir(join(folder, 'src/api'), { recursive: true })
  await symlink(join(peers, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder, 'ponder.config.ts'),
    `import { createConfig } from 'ponder'
export default createConfig(${JSON.stringify(config)})`,
  )
  await writeFile(join(folder, 'ponder.schema.ts'), schema)
  await writeFile(join(folder, 'src/index.ts'), indexing)
  await writeFile(join(folder, 'src/api/index.ts'), api)
}

const schema = `import { onchainTable } from 'ponder'
export const transfer = onchainTable('transfer', (t) => ({
  id: t.text().primaryKey(),
  from: t.hex().notNull(),
  to: t.hex().notNull(),
  value: t.bigint().notNull(),
  block: t.bigint().notNull(),
  blockHash: t.hex().notNull(),
  timestamp: t.bigint().notNull(),
  transaction: t.hex().notNull(),
  logIndex: t.integer().notNull(),
  address: t.hex().notNull(),
}))`

const indexing = `import { ponder } from 'ponder:registry'
import { transfer } from 'ponder:schema'
ponder.on('Token:Transfer', async ({ event: { id, args, block, transaction, log }, context }) => {
  const place = {
    ...{ block: block.number, blockHash: block.hash, timestamp: block.timestamp },
    ...{ transaction: transaction.hash, logIndex: log.logIndex, address: log.address },
  }
  await context.db.insert(transfer).values({ id, ...args, ...place })
})`

const api = `import { Hono } from 'hono'
export default new Hono()`

interface LogLine {
  readonly msg: string
  readonly event_count?: number
  /** In ms. */
  readonly duration?: number
}

async function readLog(folder: string): Promise<PonderFigures> {
  const program = join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js')
  const args = [program, 'start', '--schema', 'bench', '--port', '0', '--log-format', 'json']
  const env = { ...environment.outside, PONDER_TELEMETRY_DISABLED: '1' }
  const ponder = execa(process.execPath, args, { cwd: folder, env, extendEnv: false, reject: false, all: true })
  const lines: string[] = []
  let events = 0
  let ms: number | undefined
  for await (const line of ponder.iterable({ from: 'all' })) {
    lines.push(line)
    if (!line.startsWith('{')) continue
    const { msg, event_count = 0, duration } = JSON.parse(line) as LogLine
    if (msg === 'Indexed block range') events += event_count
    if (msg !== 'Completed backfill indexing across all chains') continue
    ms = duration
    ponder.kill('SIGKILL')
  }
  if (ms === undefined) throw new Error(`Ponder ended before its backfill:\n${lines.join('\n')}`)
  return { ms, events }
}

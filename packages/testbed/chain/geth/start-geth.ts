import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { untilPrinted } from '../../until-printed.ts'

/** A running geth that builds no blocks by itself. */
export interface Geth {
  readonly rpc: string
  readonly ws: string
  /** Address and secret of its Engine API. */
  readonly engine: { readonly url: string; readonly secret: Buffer }
  /** Ends the process and removes its files. */
  stop(): Promise<void>
}

/** Starts geth in a temporary folder, without peers, on free ports. */
export async function startGeth(binary: string, genesis: Record<string, unknown>): Promise<Geth> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-geth-'))
  const secret = randomBytes(32)
  const files = { genesis: join(folder, 'genesis.json'), secret: join(folder, 'secret') }
  await writeFile(files.genesis, JSON.stringify(genesis))
  await writeFile(files.secret, secret.toString('hex'))
  await execa(binary, ['init', '--datadir', folder, '--state.scheme', 'hash', files.genesis])

  const args = [...flags, '--datadir', folder, '--authrpc.jwtsecret', files.secret]
  const child = execa(binary, args, { reject: false, buffer: false, all: true, stdin: 'ignore' })
  const stop = async () => {
    child.kill('SIGKILL')
    await child
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const deadline = AbortSignal.timeout(startDeadlineMs)
    const [, http, engine] = await untilPrinted('geth', child, listening, deadline)
    return { rpc: `http://${http}`, ws: `ws://${http}`, engine: { url: `http://${engine}`, secret }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const flags = [
  '--nodiscover --maxpeers 0 --port 0 --ipcdisable --nat none --cache 64',
  '--syncmode full --gcmode archive --state.scheme hash --verbosity 3',
  '--http --http.port 0 --http.api eth,net,web3,txpool --ws --ws.port 0 --authrpc.port 0',
  '--rpc.allow-unprotected-txs --miner.gasprice 1 --txpool.pricelimit 1',
].flatMap((line) => line.split(' '))

/** The servers start in any order. */
const listening = /^(?=.* started +endpoint=(\S+) auth=false)(?=.* started +endpoint=(\S+) auth=true)/s
const startDeadlineMs = 60_000

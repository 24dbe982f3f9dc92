import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

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

  const child = execa(binary, [...flags, '--datadir', folder, '--authrpc.jwtsecret', files.secret], {
    reject: false,
    buffer: false,
    stdin: 'ignore',
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await child
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { http, engine } = await listening(child.stderr)
    return { rpc: `http://${http}`, ws: `ws://${http}`, engine: { url: `http://${engine}`, secret }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const flags = [
  ...['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable', '--nat', 'none', '--cache', '64'],
  ...['--syncmode', 'full', '--gcmode', 'archive', '--state.scheme', 'hash', '--verbosity', '3'],
  ...[
    '--http',
    '--http.port',
    '0',
    '--http.api',
    'eth,net,web3,txpool',
    '--ws',
    '--ws.port',
    '0',
    '--authrpc.port',
    '0',
  ],
  ...['--rpc.allow-unprotected-txs', '--miner.gasprice', '1', '--txpool.pricelimit', '1'],
]

/** Waits for the addresses in its output. Later output is read and dropped, because a full pipe would block geth. */
async function listening(output: NodeJS.ReadableStream): Promise<{ http: string; engine: string }> {
  const deadline = AbortSignal.timeout(startDeadlineMs)
  let printed = ''
  const address = (auth: boolean) => new RegExp(`HTTP server started +endpoint=(\\S+) auth=${auth}`).exec(printed)?.[1]
  output.on('data', (chunk) => {
    printed += chunk
  })
  for (;;) {
    const [http, engine] = [address(false), address(true)]
    if (http !== undefined && engine !== undefined) {
      output.removeAllListeners('data').resume()
      return { http, engine }
    }
    await once(output, 'data', { signal: deadline }).catch(() => {
      throw new Error(`geth did not start listening:\n${printed}`)
    })
  }
}

const startDeadlineMs = 60_000

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:process'
import { createInterface } from 'node:readline'

export interface AnvilOptions {
  readonly chainId: number
  /** Name of the newest fork whose rules apply, e.g. `osaka`. */
  readonly hardfork: string
  /** Blocks of an epoch: `finalized` lies two epochs behind the head. */
  readonly slotsInAnEpoch: number
  /** Unix time of the genesis block, in seconds. */
  readonly genesisTime?: number
}

export interface Anvil {
  readonly rpc: string
  readonly process: ChildProcess
  /** Resolves when the process is gone. */
  stop(): Promise<void>
}

const startDeadlineMs = 30_000

/** Starts an anvil that mines only when told to, on a port of its own choice. Its pid is the node's, with no wrapper. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = spawn(binaryPath(), flags(options), { stdio: ['ignore', 'pipe', 'pipe'] })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const exited = once(child, 'exit').finally(() => process.off('exit', killAtExit))
  exited.catch(() => {})
  try {
    const rpc = await listening(child)
    return {
      rpc,
      process: child,
      async stop() {
        child.kill('SIGTERM')
        await exited
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

function binaryPath(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
  const machine = `${platform}-${arch === 'x64' ? 'amd64' : arch}`
  return require.resolve(`@foundry-rs/anvil-${machine}/bin/anvil${platform === 'win32' ? '.exe' : ''}`)
}

function flags({ chainId, hardfork, slotsInAnEpoch, genesisTime }: AnvilOptions): string[] {
  const all = {
    host: '127.0.0.1',
    port: 0,
    balance: 1_000_000_000,
    'gas-limit': 300_000_000,
    'chain-id': chainId,
    hardfork,
    'slots-in-an-epoch': slotsInAnEpoch,
    timestamp: genesisTime,
  }
  const given = Object.entries(all).filter(([, value]) => value !== undefined)
  return ['--no-mining', ...given.flatMap(([name, value]) => [`--${name}`, String(value)])]
}

async function listening(child: ChildProcess): Promise<string> {
  const output: string[] = []
  const lines = createInterface({ input: child.stdout!, signal: AbortSignal.timeout(startDeadlineMs) })
  child.stderr!.on('data', (chunk) => output.push(String(chunk)))
  for await (const line of lines) {
    output.push(line)
    const address = /^Listening on (\S+)$/.exec(line)?.[1]
    if (address === undefined) continue
    for (const stream of [child.stdout!, child.stderr!]) stream.removeAllListeners('data').resume()
    return `http://${address}`
  }
  throw new Error(`anvil did not start listening:\n${output.join('\n')}`)
}

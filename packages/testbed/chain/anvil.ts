import { createRequire } from 'node:module'
import { arch, platform } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { execa, type ResultPromise } from 'execa'
import { untilPrinted } from '../until-printed.ts'

export interface AnvilOptions {
  /** Default 31337. */
  readonly chainId?: number
  /** The newest active fork. Default `prague`. */
  readonly hardfork?: string
  /** Blocks of an epoch. The `finalized` block is two epochs behind the head. Default 32. */
  readonly slotsInAnEpoch?: number
  /** Unix time of the genesis block, in seconds. Default now. */
  readonly genesisTime?: number
  /** Time to start listening, in ms. Default 30,000. */
  readonly startDeadlineMs?: number
}

export interface Anvil {
  readonly rpc: string
  readonly process: AnvilProcess
  /** Resolves when the process is gone. */
  stop(): Promise<void>
}

type AnvilProcess = ResultPromise<typeof processOptions>

// anvil ends with this process, also if a signal ends this process.
const processOptions = { reject: false, buffer: false, all: true, stdin: 'ignore', killSignal: 'SIGKILL' } as const

/** Starts an anvil on a free port, which mines only on request. The process is anvil itself, without a wrapper. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = execa(binaryPath(), flags(options), processOptions)
  try {
    const deadline = AbortSignal.timeout(options.startDeadlineMs ?? 30_000)
    const [, address] = await untilPrinted('anvil', child, /^Listening on (\S+)\r?\n/m, deadline)
    return {
      rpc: `http://${address}`,
      process: child,
      async stop() {
        child.kill('SIGTERM')
        await Promise.race([child, delay(stopDeadlineMs, undefined, { ref: false })])
        child.kill('SIGKILL')
        await child
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

function flags({ chainId, hardfork = 'prague', slotsInAnEpoch, genesisTime }: AnvilOptions): string[] {
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

const stopDeadlineMs = 5_000

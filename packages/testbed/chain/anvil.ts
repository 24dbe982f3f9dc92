import { createRequire } from 'node:module'
import { arch, platform } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { execa, type ResultPromise } from 'execa'

export interface AnvilOptions {
  readonly chainId: number
  /** The newest active fork, e.g. `osaka`. */
  readonly hardfork: string
  /** Blocks of an epoch. `finalized` is two epochs behind the head. */
  readonly slotsInAnEpoch: number
  /** Unix time of the genesis block, in seconds. */
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

// It ends with this process, also where that ends by a signal.
const processOptions = { reject: false, buffer: false, stdin: 'ignore', killSignal: 'SIGKILL' } as const

/** Starts an anvil on a free port, which mines only on request. The process is anvil itself, without a wrapper. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = execa(binaryPath(), flags(options), processOptions)
  try {
    const rpc = await listening(child, options.startDeadlineMs ?? 30_000)
    return {
      rpc,
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

/** Waits for the address in its output. Later output is read and dropped, because a full pipe would block anvil. */
function listening(child: AnvilProcess, deadlineMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const streams = [child.stdout, child.stderr]
  let output = ''
  const fail = () => reject(new Error(`anvil did not start listening:\n${output}`))
  const deadline = setTimeout(fail, deadlineMs)
  void child.then(fail)
  for (const stream of streams) {
    stream.on('data', (chunk) => {
      output += chunk
      const address = /^Listening on (\S+)$/m.exec(output)?.[1]
      if (address !== undefined) resolve(`http://${address}`)
    })
  }
  return promise.finally(() => {
    clearTimeout(deadline)
    for (const stream of streams) stream.removeAllListeners('data').resume()
  })
}

const stopDeadlineMs = 5_000
